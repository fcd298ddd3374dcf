import type { DatasetFormat, DatasetKind } from '@slipway/contracts';
import type { CanonicalExample, JsonObject } from '../example.js';
import { alpacaOf, chatOf, promptCompletionOf, sharegptOf } from './conversations.js';
import { openaiPreferenceOf, trlPreferenceOf } from './preferences.js';
import type { Reading } from './reading.js';

/** Formats whose examples are JSON objects. */
export type JsonFormat = Exclude<DatasetFormat, 'csv'>;

interface Format {
  /** Name for people. */
  readonly name: string;
  readonly kind: DatasetKind;
  /** Bits of `KEYS` that an object of this format has. */
  readonly keys: number;
  readonly read: (reading: Reading, value: JsonObject) => CanonicalExample | null;
}

const KEYS: Readonly<Record<string, number>> = {
  messages: 1,
  prompt: 2,
  completion: 4,
  conversations: 8,
  instruction: 16,
  output: 32,
  preferred_output: 64,
  non_preferred_output: 128,
  chosen: 256,
  rejected: 512,
};
const bits = (...keys: string[]): number => keys.reduce((all, key) => all | (KEYS[key] ?? 0), 0);

/** All formats of JSON objects, in the order in which they are tried. */
export const FORMATS: Readonly<Record<JsonFormat, Format>> = {
  chat: { name: 'chat', kind: 'sft', keys: bits('messages'), read: chatOf },
  prompt_completion: { name: 'prompt and completion', kind: 'sft', keys: bits('prompt', 'completion'), read: promptCompletionOf },
  sharegpt: { name: 'ShareGPT', kind: 'sft', keys: bits('conversations'), read: sharegptOf },
  alpaca: { name: 'Alpaca', kind: 'sft', keys: bits('instruction', 'output'), read: alpacaOf },
  openai_preference: {
    name: 'OpenAI preference',
    kind: 'preference',
    keys: bits('preferred_output', 'non_preferred_output'),
    read: openaiPreferenceOf,
  },
  trl_preference: { name: 'TRL preference', kind: 'preference', keys: bits('chosen', 'rejected'), read: trlPreferenceOf },
};
const NAMES = Object.keys(FORMATS) as JsonFormat[];

/** Formats that each set of keys fits, computed once: there are few sets. */
const fits = new Map<number, readonly JsonFormat[]>();

/** The formats whose fields an object has. */
export function formatsOf(value: JsonObject): readonly JsonFormat[] {
  let keys = 0;
  for (const key in value) keys |= Object.hasOwn(KEYS, key) ? (KEYS[key] ?? 0) : 0;
  let found = fits.get(keys);
  if (!found) {
    found = NAMES.filter((name) => (FORMATS[name].keys & keys) === FORMATS[name].keys);
    fits.set(keys, found);
  }
  return found;
}

const NEITHER = 'has neither "messages" nor "prompt" and "completion".';

/**
 * Reads an object as an example of the file's format; null = it is refused, and why is reported.
 * @param chosen the format was named, not found: what else an object would fit does not count
 */
export function exampleOf(reading: Reading, value: JsonObject, format: JsonFormat, chosen: boolean): CanonicalExample | null {
  const found = formatsOf(value);
  const [first, second] = found;
  if (!chosen && first && second) reading.log.report('two_formats', '', FORMATS[first].name, FORMATS[second].name);
  else if (found.includes(format)) return FORMATS[format].read(reading, value);
  else if (!first) reading.log.report('unknown_format', '', NEITHER);
  else reading.log.report('unknown_format', '', `is of the format ${FORMATS[first].name}; this file is read as ${FORMATS[format].name}.`);
  return null;
}
