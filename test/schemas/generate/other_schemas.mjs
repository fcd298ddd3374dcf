// Records what valibot and the two releases of typebox write for every type they know.
import { Type as Older } from '@sinclair/typebox';
import { toJsonSchema } from '@valibot/to-json-schema';
import Newer from 'typebox';
import * as v from 'valibot';
import { record, writtenBy } from './recorded.mjs';

const text = (...actions) => v.pipe(v.string(), ...actions);
const number = (...actions) => v.pipe(v.number(), ...actions);

const valibot = {
  string: () => v.string(),
  number: () => v.number(),
  boolean: () => v.boolean(),
  null: () => v.null(),
  any: () => v.any(),
  unknown: () => v.unknown(),
  never: () => v.never(),
  bigint: () => v.bigint(),
  date: () => v.date(),
  literal: () => v.literal('a'),
  picklist: () => v.picklist(['a', 'b', 3]),
  enum: () => v.enum({ A: 'a', B: 'b' }),
  optional: () => v.optional(v.string()),
  'optional with a default': () => v.optional(v.string(), 'x'),
  nullable: () => v.nullable(v.number()),
  nullish: () => v.nullish(v.boolean()),
  array: () => v.array(v.number()),
  'array of a size': () => v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(3)),
  tuple: () => v.tuple([v.string(), v.number()]),
  'loose tuple': () => v.looseTuple([v.string()]),
  'strict tuple': () => v.strictTuple([v.string()]),
  'tuple with rest': () => v.tupleWithRest([v.string()], v.boolean()),
  object: () => v.object({ a: v.string(), b: v.optional(v.number()) }),
  'loose object': () => v.looseObject({ a: v.string() }),
  'strict object': () => v.strictObject({ a: v.string() }),
  'object with rest': () => v.objectWithRest({ a: v.string() }, v.number()),
  record: () => v.record(v.string(), v.number()),
  'record by pattern': () => v.record(text(v.regex(/^k/)), v.number()),
  'record by picklist': () => v.record(v.picklist(['a', 'b']), v.number()),
  union: () => v.union([v.string(), v.array(v.number())]),
  variant: () => v.variant('kind', [v.object({ kind: v.literal('a'), x: v.number() }), v.object({ kind: v.literal('b') })]),
  intersect: () => v.intersect([v.object({ a: v.string() }), v.object({ b: v.number() })]),
  lazy: () => {
    const tree = v.object({ label: v.string(), children: v.array(v.lazy(() => tree)) });
    return tree;
  },
  'tagged tree, the tag last': () => {
    const part = v.lazy(() => v.union([panel, row]));
    const panel = v.object({ title: v.string(), children: v.array(part), kind: v.literal('panel') });
    const row = v.object({ title: v.string(), children: v.array(part), kind: v.literal('row'), height: v.optional(v.number()) });
    return part;
  },
  'exact optional': () => v.object({ a: v.exactOptional(v.string()) }),
  undefinedable: () => v.undefinedable(v.string()),
  'without a value': () => number(v.notValue(7)),
  'one of some values': () => number(v.values([1, 2])),
  'none of some values': () => number(v.notValues([1, 2])),
  empty: () => v.pipe(v.array(v.string()), v.empty()),
  examples: () => text(v.examples(['a'])),
  hash: () => text(v.hash(['md5', 'sha1'])),
  ...Object.fromEntries(
    [
      'domain',
      'isrc',
      'jwsCompact',
      'ksuid',
      'mac48',
      'mac64',
      'rfcEmail',
      'slug',
      'base64',
      'bic',
      'cuid2',
      'decimal',
      'digits',
      'email',
      'emoji',
      'hexadecimal',
      'hexColor',
      'imei',
      'ip',
      'ipv4',
      'ipv6',
      'isoDate',
      'isoDateTime',
      'isoTime',
      'isoTimeSecond',
      'isoTimestamp',
      'isoWeek',
      'mac',
      'nanoid',
      'octal',
      'ulid',
      'url',
      'uuid',
    ].map((name) => [name, () => text(v[name]())]),
  ),
  'text of a length': () => text(v.minLength(2), v.maxLength(4)),
  'one length': () => text(v.length(3)),
  regex: () => text(v.regex(/^[a-z]+$/)),
  'not empty': () => text(v.nonEmpty()),
  'starts with': () => text(v.startsWith('ab')),
  'ends with': () => text(v.endsWith('yz')),
  includes: () => text(v.includes('m')),
  integer: () => number(v.integer()),
  'safe integer': () => number(v.safeInteger()),
  between: () => number(v.minValue(0), v.maxValue(10)),
  'strictly between': () => number(v.gtValue(0), v.ltValue(10)),
  multiple: () => number(v.multipleOf(5)),
  value: () => number(v.value(7)),
  entries: () => v.pipe(v.record(v.string(), v.number()), v.minEntries(1), v.maxEntries(3)),
  described: () => text(v.title('T'), v.description('d'), v.metadata({ more: 1 })),
  readonly: () => v.pipe(v.array(v.string()), v.readonly()),
  brand: () => text(v.brand('Name')),
};

/** Types of both releases of typebox. */
const typebox = (Type) => ({
  Any: () => Type.Any(),
  Unknown: () => Type.Unknown(),
  String: () => Type.String(),
  Number: () => Type.Number(),
  Integer: () => Type.Integer(),
  Boolean: () => Type.Boolean(),
  Null: () => Type.Null(),
  Literal: () => Type.Literal('a'),
  'Literal number': () => Type.Literal(7),
  Never: () => Type.Never(),
  Enum: () => Type.Enum({ A: 'a', B: 'b' }),
  Array: () => Type.Array(Type.Number()),
  'Array of a size': () => Type.Array(Type.String(), { minItems: 1, maxItems: 3 }),
  'unique Array': () => Type.Array(Type.String(), { uniqueItems: true }),
  'Array that contains': () => Type.Array(Type.Integer(), { contains: Type.Literal(7), minContains: 1, maxContains: 2 }),
  Tuple: () => Type.Tuple([Type.String(), Type.Number()]),
  'empty Tuple': () => Type.Tuple([]),
  Object: () => Type.Object({ a: Type.String(), b: Type.Optional(Type.Number()) }),
  'closed Object': () => Type.Object({ a: Type.String() }, { additionalProperties: false }),
  'open Object': () => Type.Object({ a: Type.String() }, { additionalProperties: Type.Number() }),
  'counted Object': () => Type.Object({}, { minProperties: 1, maxProperties: 2 }),
  Record: () => Type.Record(Type.String(), Type.Number()),
  'Record by pattern': () => Type.Record(Type.String({ pattern: '^k_' }), Type.Number()),
  'Record of literals': () => Type.Record(Type.Union([Type.Literal('a'), Type.Literal('b')]), Type.Number()),
  Union: () => Type.Union([Type.String(), Type.Number()]),
  'Union of Objects': () => Type.Union([Type.Object({ k: Type.Literal('a') }), Type.Object({ k: Type.Literal('b'), n: Type.Number() })]),
  Intersect: () => Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Number() })]),
  'closed Intersect': () =>
    Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Number() })], { unevaluatedProperties: false }),
  Not: () => Type.Not(Type.String()),
  Composite: () => Type.Composite([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Number() })]),
  Partial: () => Type.Partial(Type.Object({ a: Type.String() })),
  KeyOf: () => Type.KeyOf(Type.Object({ a: Type.String(), b: Type.String() })),
  TemplateLiteral: () => Type.TemplateLiteral('id-${number}'),
  RegExp: () => Type.RegExp(/^a+$/),
  'text of a length': () => Type.String({ minLength: 2, maxLength: 4 }),
  'text of a pattern': () => Type.String({ pattern: '^[a-z]{2}$' }),
  ...Object.fromEntries(
    ['date', 'date-time', 'time', 'email', 'uuid', 'uri', 'ipv4', 'ipv6', 'regex'].map((format) => [
      `format ${format}`,
      () => Type.String({ format }),
    ]),
  ),
  'Number between': () => Type.Number({ minimum: 0, exclusiveMaximum: 1 }),
  'Integer multiple': () => Type.Integer({ multipleOf: 5, minimum: 0 }),
  Readonly: () => Type.Readonly(Type.String()),
  described: () => Type.String({ title: 'T', description: 'd', default: 'x', examples: ['e'] }),
  Recursive: () => Type.Recursive((This) => Type.Object({ value: Type.Number(), next: Type.Optional(This) })),
  'tagged tree, the tag last': () =>
    Type.Module({
      Part: Type.Union([Type.Ref('Panel'), Type.Ref('Row')]),
      Panel: Type.Object({ title: Type.String(), children: Type.Array(Type.Ref('Part')), kind: Type.Literal('panel') }),
      Row: Type.Object({ title: Type.String(), children: Type.Array(Type.Ref('Part')), kind: Type.Literal('row') }),
    }).Import('Part'),
  Cyclic: () =>
    Type.Cyclic(
      {
        Part: Type.Union([Type.Ref('Panel'), Type.Ref('Row')]),
        Panel: Type.Object({ title: Type.String(), children: Type.Array(Type.Ref('Part')), kind: Type.Literal('panel') }),
        Row: Type.Object({ title: Type.String(), children: Type.Array(Type.Ref('Part')), kind: Type.Literal('row') }),
      },
      'Part',
    ),
  Uint8Array: () => Type.Uint8Array(),
  Date: () => Type.Date(),
  BigInt: () => Type.BigInt(),
  Undefined: () => Type.Undefined(),
  Void: () => Type.Void(),
  Symbol: () => Type.Symbol(),
  Iterator: () => Type.Iterator(Type.String()),
  AsyncIterator: () => Type.AsyncIterator(Type.Number()),
  Promise: () => Type.Promise(Type.String()),
  Function: () => Type.Function([Type.String()], Type.Number()),
});

/** As it goes over the wire: typebox keeps more in its objects. */
const sent = (schema) => JSON.parse(JSON.stringify(schema));

record(
  'valibot.json',
  ['valibot', '@valibot/to-json-schema'],
  writtenBy('valibot', valibot, (type) => toJsonSchema(v.object({ value: type }))),
);
record('typebox.json', ['@sinclair/typebox', 'typebox'], {
  ...writtenBy('typebox 0', typebox(Older), (type) => sent(Older.Object({ value: type }))),
  ...Object.fromEntries(
    Object.entries(writtenBy('typebox 1', typebox(Newer), (type) => sent(Newer.Object({ value: type })))).map(([name, schema]) => [
      `1: ${name}`,
      schema,
    ]),
  ),
});
