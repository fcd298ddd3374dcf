import type { ValidationOptions, ValidationResult } from './validation.js';
import { validateDataset } from './validate-dataset.js';

/** What a validation gave to its sinks. */
export interface Validated {
  readonly result: ValidationResult;
  /** Canonical lines. */
  readonly lines: string[];
  readonly lineNumbers: number[];
  readonly warnings: number[];
  readonly prompts: bigint[];
  readonly hashes: bigint[];
  /** Refused lines. */
  readonly rejected: string[];
}

/** A source of chunks of `size` bytes. */
export async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

const linesOf = (bytes: Uint8Array[]): string[] => Buffer.concat(bytes).toString().split('\n').slice(0, -1);

/** Validates a text and collects what comes of it. */
export async function validated(file: string | Uint8Array, options: ValidationOptions = {}, chunk = 1_000): Promise<Validated> {
  const kept: Uint8Array[] = [];
  const refused: Uint8Array[] = [];
  const found = { lineNumbers: [] as number[], warnings: [] as number[], prompts: [] as bigint[], hashes: [] as bigint[] };
  const result = await validateDataset(inChunks(Buffer.from(file), chunk), options, {
    batch: (batch) => {
      kept.push(batch.bytes);
      found.lineNumbers.push(...batch.lines);
      found.warnings.push(...batch.warnings);
      found.prompts.push(...batch.prompts);
      found.hashes.push(...batch.examples);
    },
    rejected: (bytes) => void refused.push(bytes),
  });
  return { result, lines: linesOf(kept), rejected: linesOf(refused), ...found };
}

/** A chat line. */
export const chatLine = (question: string, answer: string): string =>
  JSON.stringify({
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
    ],
  });

/** So many different chat lines. */
export const chatLines = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, i) => chatLine(`question ${from + i}`, `answer ${from + i}`));
