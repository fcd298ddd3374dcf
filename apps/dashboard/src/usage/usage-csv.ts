import type { UsageRow } from '@slipway/contracts';

const COLUMNS = [
  'day',
  'deployment',
  'alias',
  'key_id',
  'key_name',
  'requests',
  'errors',
  'prompt_tokens',
  'cached_tokens',
  'completion_tokens',
];

/** A cell of RFC 4180. What a spreadsheet would run as a formula is made text. */
export function cell(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Usage by day, deployment, alias and key as a file for spreadsheets. @param nameOf of a key; empty where it is not known */
export function usageCsv(rows: readonly UsageRow[], nameOf: (key: number) => string): string {
  const lines = rows.map((row) => [
    row.from.slice(0, 10),
    row.deployment === undefined ? '' : `deployment-${row.deployment}`,
    row.alias ?? '',
    row.key ?? '',
    row.key === undefined ? '' : nameOf(row.key),
    row.requests,
    row.errors,
    row.prompt_tokens,
    row.cached_tokens,
    row.completion_tokens,
  ]);
  return [COLUMNS, ...lines].map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}
