// Records what zod 3 and 4 write for every type they know, by themselves, through the AI SDK and through openai-node.
import { zodSchema } from 'ai';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import { z as z4 } from 'zod';
import { zodToJsonSchema } from 'zod-to-json-schema';
import { z as z3 } from 'zod3';
import { record, writtenBy } from './recorded.mjs';

/** Types that both versions know. */
const shared = (z) => ({
  string: () => z.string(),
  'string of a length': () => z.string().min(2).max(4),
  'string of one length': () => z.string().length(3),
  regex: () => z.string().regex(/^[a-z]+-\d{2,4}$/),
  'regex without case': () => z.string().regex(/^ab$/i),
  'regex and length': () =>
    z
      .string()
      .regex(/^[ab]*$/)
      .min(2)
      .max(6),
  'two regexes': () => z.string().regex(/^a/).regex(/z$/),
  includes: () => z.string().includes('mid'),
  startsWith: () => z.string().startsWith('https://'),
  endsWith: () => z.string().endsWith('.png'),
  'starts and ends': () => z.string().startsWith('a').endsWith('z').max(9),
  trim: () => z.string().trim().toLowerCase(),
  ...Object.fromEntries(
    [
      'email',
      'url',
      'emoji',
      'uuid',
      'nanoid',
      'cuid',
      'cuid2',
      'ulid',
      'base64',
      'base64url',
      'jwt',
      'datetime',
      'date',
      'time',
      'duration',
    ].map((format) => [format, () => z.string()[format]()]),
  ),
  'datetime with offset': () => z.string().datetime({ offset: true }),
  'datetime of milliseconds': () => z.string().datetime({ precision: 3 }),
  'local datetime': () => z.string().datetime({ local: true }),
  number: () => z.number(),
  int: () => z.number().int(),
  'int between': () => z.number().int().min(-5).max(5),
  'number strictly between': () => z.number().gt(0).lt(1),
  positive: () => z.number().int().positive(),
  negative: () => z.number().negative(),
  'multiple of an integer': () => z.number().int().multipleOf(5).nonnegative(),
  'multiple of a fraction': () => z.number().multipleOf(0.25),
  safe: () => z.number().safe(),
  bigint: () => z.bigint(),
  boolean: () => z.boolean(),
  date_: () => z.date(),
  null: () => z.null(),
  undefined: () => z.undefined(),
  void: () => z.void(),
  any: () => z.any(),
  unknown: () => z.unknown(),
  never: () => z.never(),
  symbol: () => z.symbol(),
  nan: () => z.nan(),
  literal: () => z.literal('only'),
  'literal number': () => z.literal(7),
  'literal boolean': () => z.literal(true),
  'literal null': () => z.literal(null),
  enum: () => z.enum(['red', 'green', 'blue']),
  'native enum': () => z.nativeEnum({ A: 'a', B: 'b' }),
  'native enum of numbers': () => z.nativeEnum({ 0: 'Low', 1: 'High', Low: 0, High: 1 }),
  optional: () => z.number().optional(),
  nullable: () => z.string().nullable(),
  'nullable and bounded': () => z.string().max(5).nullable(),
  nullish: () => z.string().nullish(),
  default: () => z.string().default('x'),
  catch: () => z.number().catch(1),
  described: () => z.string().describe('what it is'),
  branded: () => z.string().brand('Name'),
  readonly: () => z.array(z.string()).readonly(),
  refined: () => z.string().refine((value) => value.length > 0),
  transformed: () => z.string().transform((value) => value.length),
  preprocessed: () => z.preprocess((value) => value, z.number()),
  piped: () => z.string().pipe(z.string().min(3)),
  coerced: () => z.coerce.number(),
  array: () => z.array(z.number()),
  'array of a size': () => z.array(z.string()).min(1).max(3),
  'nonempty array': () => z.array(z.boolean()).nonempty(),
  'array of one size': () => z.array(z.number()).length(2),
  'array of arrays': () => z.array(z.array(z.number().int())),
  tuple: () => z.tuple([z.string(), z.number()]),
  'tuple with rest': () => z.tuple([z.string()]).rest(z.boolean()),
  'empty tuple': () => z.tuple([]),
  set: () => z.set(z.string()),
  map: () => z.map(z.string(), z.number()),
  record: () => z.record(z.string(), z.number()),
  'record by enum': () => z.record(z.enum(['a', 'b']), z.number()),
  'record by pattern': () => z.record(z.string().regex(/^k_/), z.number()),
  'record by length': () => z.record(z.string().min(2), z.boolean()),
  'record of records': () => z.record(z.string(), z.record(z.string(), z.array(z.number()))),
  object: () => z.object({ a: z.string(), b: z.number().optional() }),
  'empty object': () => z.object({}),
  'strict object': () => z.object({ a: z.string() }).strict(),
  'loose object': () => z.object({ a: z.string() }).passthrough(),
  'object with a catchall': () => z.object({ a: z.string() }).catchall(z.number()),
  'partial object': () => z.object({ a: z.string(), b: z.number() }).partial(),
  'picked object': () => z.object({ a: z.string(), b: z.number() }).pick({ a: true }),
  'extended object': () => z.object({ a: z.string() }).extend({ b: z.number() }),
  'nested objects': () => z.object({ a: z.object({ b: z.object({ c: z.array(z.string().nullable()) }) }) }),
  union: () => z.union([z.string(), z.number(), z.array(z.boolean())]),
  'union of objects': () => z.union([z.object({ a: z.string() }), z.object({ b: z.number() })]),
  'union of literals': () => z.union([z.literal('a'), z.literal(1), z.literal(null)]),
  'discriminated union': () =>
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('cat'), lives: z.number().int().min(1).max(9) }),
      z.object({ kind: z.literal('dog'), name: z.string() }),
    ]),
  'discriminated union by enum': () =>
    z.discriminatedUnion('kind', [
      z.object({ kind: z.enum(['a', 'b']), x: z.number() }),
      z.object({ kind: z.literal('c'), y: z.string() }),
    ]),
  'array of a discriminated union': () =>
    z
      .array(
        z.discriminatedUnion('op', [z.object({ op: z.literal('add'), value: z.number() }), z.object({ op: z.literal('del') }).strict()]),
      )
      .max(4),
  intersection: () => z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() })),
  'and of three': () =>
    z
      .object({ a: z.string() })
      .and(z.object({ b: z.number() }))
      .and(z.object({ c: z.boolean().optional() })),
  'intersection of strict objects': () => z.intersection(z.object({ a: z.string() }).strict(), z.object({ a: z.string() })),
  'intersection of a union': () => z.union([z.object({ a: z.string() }), z.object({ b: z.number() })]).and(z.object({ c: z.boolean() })),
  lazy: () => {
    const node = z.object({ value: z.number(), next: z.lazy(() => node).nullable() });
    return node;
  },
  tree: () => {
    const tree = z.object({ label: z.string(), children: z.array(z.lazy(() => tree)) });
    return tree;
  },
  'tagged tree, the tag last': () => {
    const part = z.lazy(() => z.union([panel, row]));
    const panel = z.object({ title: z.string(), children: z.array(part), kind: z.literal('panel') });
    const row = z.object({ title: z.string(), children: z.array(part), kind: z.literal('row'), height: z.number().optional() });
    return part;
  },
  'tree without a tag': () => {
    const node = z.lazy(() => z.union([and, or, z.string()]));
    const and = z.object({ items: z.array(node) });
    const or = z.object({ items: z.array(node), negated: z.boolean() });
    return node;
  },
  'tree of comparisons': () => {
    const node = z.lazy(() => z.union([compare, logic, z.number()]));
    const compare = z.object({ left: node, op: z.enum(['<', '>']), right: node });
    const logic = z.object({ left: node, op: z.enum(['and', 'or']), right: node });
    return node;
  },
  'same type twice': () => {
    const address = z.object({ street: z.string(), zip: z.string().regex(/^\d{5}$/) });
    return z.object({ home: address, work: address, others: z.array(address) });
  },
  promise: () => z.promise(z.string()),
  deep: () => z.array(z.record(z.string(), z.tuple([z.number(), z.union([z.string(), z.array(z.object({ a: z.null() }))])]).nullable())),
});

/** Types that version 4 alone knows. */
const newer = {
  ...Object.fromEntries(
    [
      'email',
      'url',
      'httpUrl',
      'uuid',
      'uuidv4',
      'uuidv6',
      'uuidv7',
      'guid',
      'ipv4',
      'ipv6',
      'cidrv4',
      'cidrv6',
      'mac',
      'e164',
      'hostname',
      'hex',
      'emoji',
      'xid',
      'ksuid',
      'lowercase',
      'uppercase',
      'int',
      'int32',
      'uint32',
      'int64',
      'float32',
      'float64',
      'json',
      'file',
    ].map((name) => [`top-level ${name}`, () => z4[name]()]),
  ),
  'iso date': () => z4.iso.date(),
  'iso time': () => z4.iso.time(),
  'iso datetime': () => z4.iso.datetime(),
  'iso duration': () => z4.iso.duration(),
  hash: () => z4.hash('sha256'),
  'literals at once': () => z4.literal(['a', 1, null]),
  'template literal': () => z4.templateLiteral(['id-', z4.number().int(), '-', z4.enum(['a', 'b'])]),
  stringbool: () => z4.stringbool(),
  'partial record': () => z4.partialRecord(z4.enum(['a', 'b']), z4.number()),
  'loose record': () => z4.looseRecord(z4.string().regex(/^k/), z4.number()),
  strictObject: () => z4.strictObject({ a: z4.string() }),
  looseObject: () => z4.looseObject({ a: z4.string() }),
  'exclusive union': () => z4.xor([z4.string(), z4.number()]),
  prefault: () => z4.string().prefault('x'),
  'optional by getter': () => {
    const category = z4.object({
      name: z4.string(),
      get parent() {
        return category.optional();
      },
    });
    return category;
  },
  metadata: () => z4.string().meta({ id: 'Named', title: 'T', description: 'd', examples: ['e'], deprecated: true, 'x-more': 1 }),
  codec: () => z4.codec(z4.string(), z4.number(), { decode: Number, encode: String }),
  'overwritten text': () => z4.string().normalize().toUpperCase(),
  'nested discriminated unions': () =>
    z4.discriminatedUnion('a', [
      z4.object({ a: z4.literal(1), x: z4.string() }),
      z4.discriminatedUnion('b', [
        z4.object({ a: z4.literal(2), b: z4.literal('p') }),
        z4.object({ a: z4.literal(2), b: z4.literal('q') }),
      ]),
    ]),
};

const three = shared(z3);
const four = { ...shared(z4), ...newer };
const answer = (z, inner) => z.object({ value: inner });

record('zod3.json', ['zod3', 'zod-to-json-schema'], {
  ...writtenBy('zod-to-json-schema', three, (type) => zodToJsonSchema(answer(z3, type))),
  ...Object.fromEntries(
    Object.entries(
      writtenBy('zod-to-json-schema', three, (type, name) => zodToJsonSchema(answer(z3, type), { name: 'Answer', target: 'openApi3' })),
    ).map(([name, schema]) => [`OpenAPI: ${name}`, schema]),
  ),
});
record('zod4.json', ['zod'], {
  ...writtenBy('zod 4', four, (type) => z4.toJSONSchema(answer(z4, type))),
  ...Object.fromEntries(
    Object.entries(
      writtenBy('zod 4 as draft 7', four, (type) =>
        z4.toJSONSchema(answer(z4, type), { target: 'draft-7', io: 'input', unrepresentable: 'any' }),
      ),
    ).map(([name, schema]) => [`draft 7: ${name}`, schema]),
  ),
  ...Object.fromEntries(
    Object.entries(
      writtenBy('zod 4 with references', four, (type) =>
        z4.toJSONSchema(answer(z4, type), { reused: 'ref', target: 'draft-4', unrepresentable: 'any' }),
      ),
    ).map(([name, schema]) => [`draft 4: ${name}`, schema]),
  ),
});

const aiSdk = {};
for (const [version, z, types] of [
  ['zod 3', z3, three],
  ['zod 4', z4, four],
]) {
  for (const [name, make] of Object.entries(types)) {
    try {
      aiSdk[`${version}: ${name}`] = await zodSchema(answer(z, make())).jsonSchema;
    } catch (error) {
      console.error(`the AI SDK writes no schema for ${version}: ${name}: ${error.message.split('\n')[0]}`);
    }
  }
}
record('ai-sdk.json', ['ai', 'zod', 'zod3'], aiSdk);

const openai = {};
for (const [version, z, types] of [
  ['zod 3', z3, three],
  ['zod 4', z4, four],
]) {
  const written = writtenBy(`openai-node with ${version}`, types, (type, name) => [
    zodResponseFormat(answer(z, type), 'answer').json_schema.schema,
    zodFunction({ name: 'call', parameters: answer(z, type) }).function.parameters,
  ]);
  for (const [name, [form, parameters]] of Object.entries(written)) {
    openai[`${version}: ${name}`] = form;
    if (JSON.stringify(form) !== JSON.stringify(parameters)) openai[`${version} as parameters: ${name}`] = parameters;
  }
}
record('openai-node.json', ['openai', 'zod', 'zod3'], openai);
