import type { DatasetIssue } from '@slipway/contracts';
import { expect, it } from 'vitest';
import { RULES, type RuleName } from './rules.js';
import { unnamedIssue } from './unnamed-issue.js';

const TEXT = 'Blue Heron';
/** What they name comes from the code alone: numbers, kinds of values, formats, places and bounds. */
const OWN: readonly RuleName[] = [
  ...([
    'not_utf8',
    'too_deep',
    'csv_columns',
    'crlf',
    'blank_line',
    'control_char',
    'duplicate',
    'conflict',
    'too_long',
    'too_few',
  ] as const),
  ...([
    'not_json',
    'not_csv',
    'not_object',
    'line_too_long',
    'unknown_format',
    'two_formats',
    'missing_messages',
    'empty_messages',
  ] as const),
  ...(['missing_content', 'empty_assistant', 'content_type', 'order', 'bad_weight', 'ends_with_user', 'tool_call_shape'] as const),
  ...(['tools_shape', 'control_token', 'secret_like'] as const),
];

it('no issue without names quotes the file', () => {
  for (const rule of Object.keys(RULES) as RuleName[]) {
    if (OWN.includes(rule)) continue;
    const { message, severity } = RULES[rule] as {
      message: (line: number, ...args: unknown[]) => string;
      severity: DatasetIssue['severity'];
    };
    const issue = { line: 3, path: 'messages[1]', rule, severity, message: message(3, TEXT, TEXT, TEXT) };
    expect(unnamedIssue(issue).message).not.toContain(TEXT);
  }
});
