import type { Random } from '../engines/random.js';

/** A JSON object that is being made. */
export type Body = Record<string, unknown>;

const WORDS = [
  'hello',
  'two words',
  'Ünïcode 名前 😀',
  'line\nbreak',
  '<|im_end|>',
  '{"a": 1}',
  'a "quoted" text',
  '\u2028',
  'tab\t',
  '\\u0041',
  'data: [DONE]',
];
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const NAMES = ['get_weather', 'search', 'run-command', 'a.b.c', 'x'];

const SCHEMAS: readonly Body[] = [
  { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
  { type: 'object', properties: { n: { type: 'integer', minimum: 0 }, kind: { enum: ['a', 'b', null] } } },
  { type: 'object', properties: {} },
  {
    type: 'object',
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    properties: { node: { $ref: '#/$defs/node' } },
  },
];

/** A field that is there with some chance, and then has one of these values. */
export type Optional = readonly [name: string, ...values: readonly unknown[]];

export const words = (random: Random): string => random.times(random.int(1, 3), () => random.pick(WORDS)).join(' ');
export const schema = (random: Random): Body => structuredClone(random.pick(SCHEMAS));
export const image = (random: Random): { type: string; data: string } => ({
  type: random.pick(['png', 'jpeg', 'webp', 'gif']),
  data: PIXEL,
});
export const toolNames = (random: Random): string[] => NAMES.slice(0, random.int(1, NAMES.length));

/** Adds each field with this chance. */
export function addSome(random: Random, body: Body, share: number, fields: readonly Optional[]): void {
  for (const [name, ...values] of fields) if (random.chance(share)) body[name] = structuredClone(random.pick(values));
}
