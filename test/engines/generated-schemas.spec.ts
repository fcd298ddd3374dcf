import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { GbnfReader } from '../../libs/engine-llama/src/grammar/gbnf-reader.js';
import { jsonSchemaRules } from '../../libs/engine-llama/src/grammar/json-schema-grammar.js';
import { GrammarSampler } from './grammar-sampler.js';
import { Random } from './random.js';

const SHAPE = (kind: string, more: object): object => ({
  type: 'object',
  title: kind,
  properties: { kind: { const: kind, default: kind, title: 'Kind', type: 'string' }, ...more },
  required: ['kind', ...Object.keys(more)],
});
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';
const NEWEST = 'https://json-schema.org/draft/2020-12/schema';

/** Schemas in the forms in which pydantic, zod, the AI SDK, valibot, typebox and msgspec write these types, and what is left out. */
const SCHEMAS: readonly [name: string, schema: Record<string, unknown>, leftOut: string[]][] = [
  [
    'a tagged union of pydantic',
    {
      $defs: {
        Circle: SHAPE('circle', { r: { title: 'R', type: 'number' } }),
        Square: SHAPE('square', { a: { title: 'A', type: 'integer' } }),
      },
      properties: {
        shape: {
          discriminator: { mapping: { circle: '#/$defs/Circle', square: '#/$defs/Square' }, propertyName: 'kind' },
          oneOf: [{ $ref: '#/$defs/Circle' }, { $ref: '#/$defs/Square' }],
          title: 'Shape',
        },
      },
      required: ['shape'],
      title: 'Drawing',
      type: 'object',
    },
    [],
  ],
  [
    'an address and a decimal of pydantic',
    {
      properties: {
        url: { format: 'uri', maxLength: 2083, minLength: 1, title: 'Url', type: 'string' },
        price: { anyOf: [{ type: 'number' }, { pattern: '^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$', type: 'string' }], title: 'Price' },
        pair: { maxItems: 2, minItems: 2, prefixItems: [{ type: 'integer' }, { type: 'string' }], title: 'Pair', type: 'array' },
        tags: { items: { type: 'string' }, title: 'Tags', type: 'array', uniqueItems: true },
        colors: { items: { enum: ['red', 'green', 'blue'], type: 'string' }, type: 'array', uniqueItems: true },
        ages: { additionalProperties: { exclusiveMinimum: 0, type: 'integer' }, propertyNames: { enum: ['a', 'b'] }, type: 'object' },
        half: { multipleOf: 0.5, type: 'number' },
        even: { multipleOf: 2, minimum: 10, type: 'integer' },
        day: { format: 'date', type: 'string' },
        took: { format: 'duration', type: 'string' },
        note: { anyOf: [{ maxLength: 5, type: 'string' }, { type: 'null' }], default: null },
      },
      required: ['url', 'price', 'pair', 'tags', 'colors', 'ages', 'half', 'even', 'day', 'took'],
      type: 'object',
    },
    ['/properties/tags/uniqueItems'],
  ],
  [
    'a tree of pydantic',
    {
      $defs: {
        Node: {
          properties: { v: { type: 'integer' }, next: { anyOf: [{ $ref: '#/$defs/Node' }, { type: 'null' }], default: null } },
          required: ['v'],
          type: 'object',
        },
      },
      $ref: '#/$defs/Node',
    },
    [],
  ],
  [
    'tuples and records as the AI SDK sends those of zod 3',
    {
      $schema: DRAFT_7,
      type: 'object',
      properties: {
        point: { type: 'array', minItems: 2, maxItems: 2, items: [{ type: 'number' }, { type: 'number' }] },
        rest: { type: 'array', minItems: 1, items: [{ type: 'string' }], additionalItems: { type: 'boolean' } },
        map: { type: 'object', additionalProperties: { type: 'string' }, propertyNames: { minLength: 2 } },
        both: {
          allOf: [
            { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
            { type: 'object', properties: { b: { type: 'number' } }, required: ['b'] },
          ],
        },
        positive: { type: 'integer', exclusiveMinimum: 0, maximum: 9007199254740991 },
      },
      required: ['point', 'rest', 'map', 'both', 'positive'],
      additionalProperties: false,
    },
    [],
  ],
  [
    'texts of zod 4',
    {
      $schema: NEWEST,
      type: 'object',
      properties: {
        mail: {
          type: 'string',
          format: 'email',
          pattern: "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
        },
        ends: { type: 'string', allOf: [{ pattern: '^a.*' }, { pattern: '.*z$' }], minLength: 3, maxLength: 9 },
        sized: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 6 },
        either: {
          anyOf: [
            { type: 'string', const: 'x' },
            { type: 'number', enum: [1, 2] },
          ],
        },
        few: {
          type: 'object',
          propertyNames: { type: 'string', pattern: '^k' },
          additionalProperties: { type: 'integer', minimum: -9, maximum: 9 },
        },
      },
      required: ['mail', 'ends', 'sized', 'either', 'few'],
      additionalProperties: false,
    },
    [],
  ],
  [
    'patterns of names of typebox',
    { type: 'object', patternProperties: { '^(.*)$': { type: 'boolean' } }, additionalProperties: false, minProperties: 1 },
    [],
  ],
  [
    'what typebox says of arrays and conditions',
    {
      type: 'object',
      properties: {
        list: { type: 'array', items: { type: 'integer' }, contains: { const: 7 }, minContains: 1, maxItems: 4 },
        other: { not: { type: 'string' } },
      },
      required: ['list'],
    },
    ['/properties/list/contains', '/properties/list/minContains', '/properties/other/not'],
  ],
  [
    'structs of msgspec',
    {
      $ref: '#/$defs/Item',
      $defs: {
        Item: {
          title: 'Item',
          type: 'object',
          properties: {
            id: { type: 'string', format: 'uuid' },
            n: { type: 'integer', minimum: 0 },
            at: { type: 'string', format: 'date-time' },
            raw: { type: 'string', contentEncoding: 'base64' },
          },
          required: ['id', 'n', 'at', 'raw'],
        },
      },
    },
    [],
  ],
];

const LEFT_OUT = new Set(['uniqueItems', 'contains', 'minContains', 'not']);

/** The schema without the assertions that no grammar holds, at any depth. */
const held = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(held);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([word, inner]) => (LEFT_OUT.has(word) ? [] : [[word, held(inner)]])));
};

describe('schemas in the forms in which generators write them', () => {
  it.each(SCHEMAS)('%s: what the grammar writes satisfies all of it that is held', (_, schema, leftOut) => {
    const made = jsonSchemaRules(schema, '');
    expect(made.leftOut).toEqual(leftOut);
    const options = { strict: false, multipleOfPrecision: 9, ownProperties: true, logger: false } as const;
    const ajv = schema['$schema'] === DRAFT_7 ? new Ajv(options) : new Ajv2020(options);
    addFormats.default(ajv, ['date', 'date-time', 'uuid', 'email']);
    const isValid = ajv.compile(leftOut.length > 0 ? (held(schema) as object) : schema);
    for (let seed = 1; seed <= 40; seed += 1) {
      const random = new Random(seed);
      const written = new GrammarSampler(new GbnfReader(made.rules).read(), random).sample('root', seed * 5);
      expect([written, isValid(JSON.parse(written)), isValid.errors]).toEqual([written, true, null]);
    }
  });
});
