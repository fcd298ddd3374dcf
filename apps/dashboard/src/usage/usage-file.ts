import type { UsageGroup, UsageLatency, UsageRow } from '@slipway/contracts';
import type { UsageFilters } from './usage-filters.js';
import type { UsageRange } from './usage-range.js';

/** Everything that a file of usage holds: what its screen shows. */
export interface UsageFile {
  readonly range: UsageRange;
  readonly filters: UsageFilters | null;
  readonly by: UsageGroup | 'none';
  readonly rows: readonly UsageRow[];
  readonly asOf: string;
  /** Name of the part that a row belongs to. */
  readonly nameOf: (row: UsageRow) => string;
}

type Cell = string | number | null;
type Line = Readonly<Record<string, Cell>>;

const MEASURES = ['ttft_ms', 'duration_ms', 'tokens_per_second'] as const;
const PERCENTILES = ['p50', 'p95', 'p99'] as const;

const latencyCells = (latency: UsageLatency | undefined): Line =>
  Object.fromEntries(
    MEASURES.flatMap((measure) => PERCENTILES.map((which) => [`${measure}_${which}`, latency?.[measure]?.[which] ?? null])),
  );

/** A row under the names that its columns have in every file. */
function lineOf(row: UsageRow, { by, nameOf }: Pick<UsageFile, 'by' | 'nameOf'>): Line {
  return {
    from: row.from,
    ...(by !== 'none' && { [by]: row[by] ?? null, name: nameOf(row) }),
    requests: row.requests,
    errors: row.errors,
    prompt_tokens: row.prompt_tokens,
    cached_tokens: row.cached_tokens,
    completion_tokens: row.completion_tokens,
    ...latencyCells(row.latency),
  };
}

/** A cell of RFC 4180. What a spreadsheet would run as a formula is made text. */
export function cell(value: Cell): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lines under the names of their columns, which are those of the first one, as a file for spreadsheets. */
export function csvOf(columns: readonly string[], lines: readonly Line[]): string {
  const rows = [columns, ...lines.map((line) => columns.map((column) => line[column] ?? null))];
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

const NO_ROW: UsageRow = { from: '', requests: 0, errors: 0, prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0 };

/** Usage as a file for spreadsheets: a line for each step and part, times in UTC. */
export const usageCsv = (file: UsageFile): string =>
  csvOf(
    Object.keys(lineOf(NO_ROW, file)),
    file.rows.map((row) => lineOf(row, file)),
  );

/** The same as JSON, with what it was asked for. */
export const usageJson = (file: UsageFile): string =>
  `${JSON.stringify(
    { ...file.range, as_of: file.asOf, group_by: file.by, filters: file.filters, rows: file.rows.map((row) => lineOf(row, file)) },
    null,
    2,
  )}\n`;

/** Name of a file of usage without its ending. */
export const fileName = ({ range: { from, to }, by }: Pick<UsageFile, 'range' | 'by'>): string =>
  `slipway-usage-${from.slice(0, 10)}-${to.slice(0, 10)}${by === 'none' ? '' : `-by-${by}`}`;
