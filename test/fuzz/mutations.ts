import type { Random } from '../engines/random.js';
import { type Place, placesOf, removed, replaced, valueAt } from './json-places.js';

/** One change of a document. */
type Mutation = (document: unknown, place: Place, random: Random, other: unknown) => unknown;

const deep = (levels: number): unknown => Array.from({ length: levels }).reduce<unknown>((inner) => [inner], null);

/** Values that some reader somewhere did not expect. */
const SURPRISES: readonly unknown[] = [
  ...[null, true, false, 0, -0, -1, 1, 2, 1.5, 1e308, -1e308, 5e-324, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 63, 1e21, 129, 100_001],
  ...[
    '',
    ' ',
    '0',
    'null',
    'auto',
    'x'.repeat(10_000),
    '\u0000',
    '\u202e',
    '😀',
    '__proto__',
    'constructor',
    '../..',
    '%00',
    '${x}',
    '\r\nX: y',
  ],
  // JSON as text, which some fields take.
  ...['{"a":'.repeat(9_000) + '1' + '}'.repeat(9_000), '{"type":"object"}', '{"a":"\\ud800"}'],
  ...['data:image/png;base64,AAAA', 'https://127.0.0.1/x.png', 'file:///etc/passwd', '(((((((((a+)+)+)+)+)+)+)+)+', '{"a":', '\\'],
  ...[
    [],
    {},
    [[]],
    [null],
    [{}],
    [''],
    [0],
    { type: 'text' },
    { type: 'function' },
    { type: null },
    { text: 'x' },
    { a: { b: { c: {} } } },
  ],
  ...[{ toString: 'x' }, { constructor: { prototype: 1 } }, { length: 3 }, { $ref: '#' }, deep(40), deep(150)],
];

const KEYS = [
  'type',
  'role',
  'content',
  'text',
  'name',
  'id',
  'function',
  'input',
  'source',
  'stream',
  'n',
  'tools',
  'system',
  'thread',
  '__proto__',
  'constructor',
  'toString',
  '',
  'max_tokens',
  'tool_calls',
  'tool_use_id',
  'thinking',
  'audio',
  'functions',
  'chat_template',
  'response_format',
  'structured_outputs',
  'stream_options',
  'continue_final_message',
  'prompt_logprobs',
];

const fresh = (random: Random): unknown => structuredClone(random.pick(SURPRISES));

/** Adds an own member of any name, also of those that mean something to JavaScript. */
const withMember = (owner: object, key: string, value: unknown): unknown => replaced(owner, [key], value);

const surprise: Mutation = (document, place, random) => replaced(document, place, fresh(random));

const drop: Mutation = (document, place) => removed(document, place);

const transplant: Mutation = (document, place, random, other) => replaced(document, place, valueAt(other, random.pick(placesOf(other))));

const addMember: Mutation = (document, place, random, other) => {
  const owner = valueAt(document, place);
  const value = random.chance(0.5) ? fresh(random) : valueAt(other, random.pick(placesOf(other)));
  if (Array.isArray(owner)) return replaced(document, place, [...(owner as unknown[]), value]);
  if (typeof owner === 'object' && owner !== null) return replaced(document, place, withMember(owner, random.pick(KEYS), value));
  return replaced(document, place, [owner]);
};

const rename: Mutation = (document, place, random) => {
  const owner = valueAt(document, place.slice(0, -1));
  const last = place.at(-1);
  if (typeof last !== 'string' || typeof owner !== 'object' || owner === null) return drop(document, place, random, null);
  const name = random.pick([...KEYS, `${last} `, last.toUpperCase(), `${last}s`]);
  return replaced(removed(document, place), [...place.slice(0, -1), name], valueAt(document, place));
};

const MAX_TEXT_CHARS = 1_000_000;
const MAX_LIST_CHARS = 200_000;

/** As many times as wanted, or as keep the whole below a size. */
const fitting = (text: string, times: number, most: number): number => Math.min(times, Math.ceil(most / (text.length + 1)));

const multiply: Mutation = (document, place, random) => {
  const value = valueAt(document, place);
  if (Array.isArray(value) && value.length > 0) {
    const times = fitting(JSON.stringify(value), random.pick([2, 10, 200, 3_000]), MAX_LIST_CHARS);
    return replaced(document, place, Array.from({ length: times }, () => value as unknown[]).flat());
  }
  if (typeof value === 'string') return replaced(document, place, value.repeat(fitting(value, random.pick([2, 50, 300]), MAX_TEXT_CHARS)));
  return typeof value === 'number'
    ? replaced(document, place, value * random.pick([-1, 1_000, 0.1]))
    : surprise(document, place, random, null);
};

const shuffle: Mutation = (document, place, random) => {
  const value = valueAt(document, place);
  if (!Array.isArray(value) || value.length < 2) return surprise(document, place, random, null);
  const [i, j] = [random.int(0, value.length - 1), random.int(0, value.length - 1)];
  const copy = [...(value as unknown[])];
  [copy[i], copy[j]] = [copy[j], copy[i]];
  return replaced(document, place, copy);
};

const asText: Mutation = (document, place) => replaced(document, place, JSON.stringify(valueAt(document, place)));

const MUTATIONS: readonly Mutation[] = [
  surprise,
  surprise,
  surprise,
  drop,
  drop,
  transplant,
  addMember,
  addMember,
  rename,
  multiply,
  shuffle,
  asText,
];

/** The document with one change somewhere; `other` gives parts that fit elsewhere. */
export function mutated(document: unknown, random: Random, other: unknown): unknown {
  const places = placesOf(document);
  // Deep places are many: half of the changes go near the top.
  const near = places.filter((place) => place.length <= 2);
  return random.pick(MUTATIONS)(document, random.pick(random.chance(0.5) ? near : places), random, other);
}

const SNIPPETS = [
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\\',
  '\\u',
  '\\ud800',
  '0',
  '-',
  'e999',
  '1e999',
  'NaN',
  'Infinity',
  '\u0000',
  '\t',
  '\n',
  '/*x*/',
  "'",
  '"a":1,',
  '"model":"x",',
  '9'.repeat(400),
  '﻿',
];
const WHOLE = ['', ' ', 'null', '[]', '1', '"x"', '{', '{}', '[[[[', 'model=x&stream=true', '{"model":1}', '{"a":1}{"b":2}', '\u0000'];

/** The bytes of a document with one change that JSON may not survive. */
export function mutatedBytes(text: string, random: Random): Buffer {
  const at = random.int(0, text.length);
  const bytes = Buffer.from(text);
  switch (random.int(0, 4)) {
    case 0:
      return bytes.subarray(0, random.int(0, bytes.length));
    case 1:
      return Buffer.from(text.slice(0, at) + random.pick(SNIPPETS) + text.slice(at));
    case 2:
      return Buffer.from(text.slice(0, at) + text.slice(at + random.int(1, 10)));
    case 3:
      bytes[random.int(0, bytes.length - 1)] = random.int(0, 255);
      return bytes;
    default:
      return Buffer.from(random.pick(WHOLE));
  }
}
