import type { IssueLog } from '../issue-log.js';
import { type ExactJson, parseExactly } from '../json/exact-parser.js';
import { shown } from '../rules.js';

/** One example that is being read: where its faults go, and the exact texts of its values. */
export interface Reading {
  readonly log: IssueLog;
  readonly maxDepth: number;
  /** Of values that `JSON.stringify` would write differently; null = none. */
  texts: ReadonlyMap<object, string> | null;
}

/** Compact JSON of a value of the example, as it was uploaded. */
export const textOf = (reading: Reading, value: object): string => reading.texts?.get(value) ?? JSON.stringify(value);

/**
 * A value that some formats write as JSON inside of a text; null = it is no JSON. A repeated key or too deep nesting is reported at
 * `path`, and `reported` returned.
 */
export function nestedJson(reading: Reading, text: string, path: string): ExactJson | 'reported' | null {
  const parsed = parseExactly(text, reading.maxDepth);
  if ('value' in parsed) return parsed;
  if (parsed.rule === 'not_json') return null;
  if (parsed.rule === 'duplicate_key') reading.log.report('duplicate_key', path, shown(parsed.what));
  else reading.log.report('too_deep', path, reading.maxDepth);
  return 'reported';
}
