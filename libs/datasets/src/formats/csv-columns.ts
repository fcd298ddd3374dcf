import type { CsvColumns } from '@slipway/contracts';
import type { JsonObject } from '../example.js';

/** Names that columns have in the files that people bring, the surest first. */
const PROMPT = ['prompt', 'instruction', 'question', 'input', 'user', 'query'];
const COMPLETION = ['completion', 'answer', 'output', 'response', 'assistant', 'reply'];
const SYSTEM = ['system', 'system_prompt'];

const plain = (name: string): string => name.trim().toLowerCase().replace(/[ -]/g, '_');

function found(header: readonly string[], names: readonly string[]): string | undefined {
  const name = names.find((wanted) => header.some((column) => plain(column) === wanted));
  return header.find((column) => plain(column) === name);
}

/** Columns that the names of a header suggest; null = none. */
export function columnsOf(header: readonly string[]): CsvColumns | null {
  const prompt = found(header, PROMPT);
  const completion = found(header, COMPLETION);
  const system = found(header, SYSTEM);
  return prompt === undefined || completion === undefined ? null : { prompt, completion, ...(system !== undefined && { system }) };
}

/** Whether a first line names columns: several different short names. */
export const isHeader = (fields: readonly string[]): boolean =>
  fields.length > 1 && new Set(fields).size === fields.length && fields.every((name) => /^[\p{L}\p{N}_ ./()-]{1,60}$/u.test(name));

/**
 * What reads a record as an object of `prompt`, `completion` and `system`, or of Alpaca's `instruction`, `input`, `output`, where the
 * columns are those and nobody chose others.
 */
export function recordReader(header: readonly string[], columns: CsvColumns, chosen: boolean): (fields: readonly string[]) => JsonObject {
  const at = (name: string | undefined): number => (name === undefined ? -1 : header.indexOf(name));
  const input = found(header, ['input']);
  if (!chosen && plain(columns.prompt) === 'instruction' && input !== undefined) {
    const places = [at(columns.prompt), at(input), at(columns.completion), at(columns.system)] as const;
    return (fields) => ({ instruction: fields[places[0]], input: fields[places[1]], output: fields[places[2]], system: fields[places[3]] });
  }
  const places = [at(columns.prompt), at(columns.completion), at(columns.system)] as const;
  return (fields) => ({ prompt: fields[places[0]], completion: fields[places[1]], system: fields[places[2]] });
}

/** The first of the columns that a header does not name; null = it names them all. */
export const missingColumn = (header: readonly string[], { prompt, completion, system }: CsvColumns): string | null =>
  [prompt, completion, system].find((name) => name !== undefined && !header.includes(name)) ?? null;
