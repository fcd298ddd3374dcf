import type { Random } from './random.js';

/** A schema, and values that satisfy it. */
export interface SampledSchema {
  readonly schema: Record<string, unknown>;
  /** `fuel` runs out: then it is the smallest value that comes to mind. */
  readonly sample: (random: Random, fuel: number) => unknown;
}

type Maker = (random: Random, depth: number) => SampledSchema;

const NAMES = ['a', 'ab', 'abc', 'b', 'name', 'na', 'größe', 'x"y', 'back\\slash', 'tab\t', '', '名前', '😀', 'constructor', 'length'];
const CHARS = Array.from('abcXYZ 019_-"\\/{}[],:\n\t\u0001é\u2028名😀\u007f');

const textOf = (random: Random, min: number, max: number): string => random.times(random.int(min, max), () => random.pick(CHARS)).join('');

const PATTERNS: readonly (readonly [string, (random: Random) => string])[] = [
  ['^[a-z]{2,4}$', (random) => random.pick(['ab', 'xyz', 'abcd'])],
  ['^(foo|ba[rz])+$', (random) => random.pick(['foo', 'bar', 'foobaz', 'bazbaz'])],
  ['\\d{3}', (random) => random.pick(['123', 'a"456\\b', '99 000'])],
  ['^\\w+@\\w+\\.(com|org)$', (random) => random.pick(['a@b.com', 'x_1@y.org'])],
  ['^[^"\\\\]*$', (random) => random.pick(['', 'plain', '\n'])],
  ['^(a?b?)*c$', (random) => random.pick(['c', 'abac', 'bbc'])],
  ['x|^y$', (random) => random.pick(['y', 'axb'])],
  ['^[\\u00e0-\\u00ff😀]{1,3}$', (random) => random.pick(['é', '😀é'])],
];

const FORMATS: readonly (readonly [string, readonly string[]])[] = [
  ['date', ['2024-02-29', '1999-12-31', '2000-02-29', '2023-04-30']],
  ['time', ['23:59:59Z', '00:00:00.123+05:30']],
  ['date-time', ['2024-02-29T12:30:00Z', '1999-01-01T00:00:00-08:00']],
  ['uuid', ['3d813cbb-47fb-32ba-91df-831e1593ac29', 'F47AC10B-58CC-4372-A567-0E02B2C3D479']],
  ['ipv4', ['0.0.0.0', '255.249.199.99']],
  ['email', ['a.b+c@example.com', 'x@sub.example.org']],
];

const string: Maker = (random) => {
  const kind = random.int(0, 3);
  if (kind === 0) {
    const [pattern, sample] = random.pick(PATTERNS);
    return { schema: { type: 'string', pattern }, sample };
  }
  if (kind === 1) {
    const [format, samples] = random.pick(FORMATS);
    return { schema: { type: 'string', format }, sample: (from) => from.pick(samples) };
  }
  if (kind === 2) return { schema: { type: 'string' }, sample: (from) => textOf(from, 0, 8) };
  const min = random.int(0, 4);
  const max = random.pick([min, min + 3, min + 70, min + 300]);
  return { schema: { type: 'string', minLength: min, maxLength: max }, sample: (from) => textOf(from, min, Math.min(max, min + 90)) };
};

function bounds(random: Random, low: number, high: number): { schema: Record<string, number>; low: number; high: number } {
  const schema: Record<string, number> = {};
  if (random.chance(0.8)) schema['minimum'] = low;
  if (random.chance(0.8)) schema['maximum'] = high;
  return { schema, low, high };
}

const integer: Maker = (random) => {
  const low = random.pick([-1_000_000, -120, -1, 0, 1, 7, 99, 4_096]);
  const { schema, high } = bounds(random, low, low + random.pick([0, 1, 9, 100, 12_345]));
  return { schema: { type: 'integer', ...schema }, sample: (from) => from.int(low, high) };
};

const number: Maker = (random) => {
  const low = random.pick([-100.5, -1, -0.25, 0, 0.1, 3.14, 99.99]);
  const high = Number((low + random.pick([0.5, 1, 2.75, 100])).toFixed(2));
  if (random.chance(0.3))
    return { schema: { type: 'number' }, sample: (from) => from.pick([0, -1.5, 1e300, 1.5e-9, 123456789012, 5e-324, 1e21]) };
  const exclusive = random.chance(0.4);
  const schema = exclusive ? { exclusiveMinimum: low, exclusiveMaximum: high } : bounds(random, low, high).schema;
  return { schema: { type: 'number', ...schema }, sample: (from) => Number((low + (high - low) * (0.01 + 0.98 * from.next())).toFixed(3)) };
};

const literal: Maker = (random) => {
  const values = [1, 'x', null, true, 'quote"', { b: [1, 2], a: 'é' }, [], -0.5, 'ü😀'].filter(() => random.chance(0.5));
  const [only = 'only'] = values;
  if (random.chance(0.3)) return { schema: { const: only }, sample: () => only };
  return { schema: { enum: values.length > 0 ? values : [only] }, sample: (from) => from.pick(values.length > 0 ? values : [only]) };
};

const simple: Maker = (random) => {
  const type = random.pick(['null', 'boolean']);
  return { schema: { type }, sample: (from) => (type === 'null' ? null : from.chance(0.5)) };
};

const array: Maker = (random, depth) => {
  const item = anySchema(random, depth - 1);
  const placed = random.chance(0.3) ? random.times(random.int(1, 3), () => anySchema(random, depth - 1)) : [];
  const closed = placed.length > 0 && random.chance(0.5);
  const min = closed ? random.int(0, placed.length) : random.int(0, 4);
  const max = closed ? placed.length : min + random.pick([0, 2, 90]);
  const schema = {
    type: 'array',
    ...(placed.length > 0 && { prefixItems: placed.map((each) => each.schema) }),
    ...(closed ? { items: false } : { items: item.schema }),
    ...(random.chance(0.9) && { minItems: min }),
    ...(random.chance(0.7) && { maxItems: max }),
  };
  const sample: SampledSchema['sample'] = (from, fuel) =>
    from.times(fuel <= 0 ? min : from.int(min, Math.min(max, min + 3)), (index) => (placed[index] ?? item).sample(from, fuel - 1));
  return { schema, sample };
};

const object: Maker = (random, depth) => {
  const names = [...new Set(random.times(random.int(0, 5), () => random.pick(NAMES)))];
  const members = names.map((name) => ({ name, required: random.chance(0.5), value: anySchema(random, depth - 1) }));
  const extra = random.chance(0.3) ? anySchema(random, depth - 1) : null;
  const schema = {
    type: 'object',
    properties: Object.fromEntries(members.map(({ name, value }) => [name, value.schema])),
    ...(random.chance(0.8) && { required: members.filter(({ required }) => required).map(({ name }) => name) }),
    additionalProperties: extra ? extra.schema : false,
  };
  const sample: SampledSchema['sample'] = (from, fuel) => {
    const result: [string, unknown][] = [];
    for (const { name, required, value } of members) {
      if (required || (fuel > 0 && from.chance(0.5))) result.push([name, value.sample(from, fuel - 1)]);
    }
    if (extra && fuel > 0 && from.chance(0.5)) result.push([from.pick(['abcd', 'zz', '"', 'nam']), extra.sample(from, fuel - 1)]);
    return Object.fromEntries(result);
  };
  return { schema, sample };
};

const anyOf: Maker = (random, depth) => {
  const branches = random.times(random.int(2, 3), () => anySchema(random, depth - 1));
  return { schema: { anyOf: branches.map(({ schema }) => schema) }, sample: (from, fuel) => from.pick(branches).sample(from, fuel) };
};

/** Objects that a property tells apart. */
const oneOf: Maker = (random, depth) => {
  const branches = ['circle', 'square', 'line'].map((kind) => ({ kind, value: anySchema(random, depth - 1) }));
  const schema = {
    oneOf: branches.map(({ kind, value }) => ({
      type: 'object',
      properties: { kind: { const: kind }, value: value.schema },
      required: ['kind', 'value'],
      additionalProperties: false,
    })),
  };
  const sample: SampledSchema['sample'] = (from, fuel) => {
    const { kind, value } = from.pick(branches);
    return { kind, value: value.sample(from, fuel - 1) };
  };
  return { schema, sample };
};

const allOf: Maker = (random, depth) => {
  const parts = ['p', 'q'].map((name) => ({ name, required: random.chance(0.6), value: anySchema(random, depth - 1) }));
  const schemas = parts.map(({ name, required, value }) => ({
    type: 'object',
    properties: { [name]: value.schema },
    ...(required && { required: [name] }),
  }));
  const sample: SampledSchema['sample'] = (from, fuel) =>
    Object.fromEntries(
      parts.filter(({ required }) => required || from.chance(0.5)).map(({ name, value }) => [name, value.sample(from, fuel - 1)]),
    );
  return { schema: { allOf: schemas }, sample };
};

const nullable: Maker = (random, depth) => {
  const inner = random.pick([string, integer])(random, depth);
  return { schema: { ...inner.schema, nullable: true }, sample: (from, fuel) => (from.chance(0.3) ? null : inner.sample(from, fuel)) };
};

/** A tree: it refers to the definition that `randomSchema` puts beside it. */
const tree: SampledSchema = {
  schema: { $ref: '#/$defs/tree' },
  sample: (random, fuel) => {
    const children = fuel > 0 ? random.times(random.int(0, 2), () => tree.sample(random, fuel - 2)) : [];
    return random.chance(0.5) ? { label: textOf(random, 0, 3), children } : { label: '', children, parent: null };
  },
};

const DEFINITIONS = {
  tree: {
    type: 'object',
    properties: {
      label: { type: 'string' },
      children: { type: 'array', items: { $ref: '#/$defs/tree' } },
      parent: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/tree' }] },
    },
    required: ['label', 'children'],
    additionalProperties: false,
  },
};

const LEAVES: readonly Maker[] = [string, string, integer, number, literal, simple, nullable];
const BRANCHES: readonly Maker[] = [array, object, object, anyOf, oneOf, allOf, () => tree];

function anySchema(random: Random, depth: number): SampledSchema {
  const made = depth <= 0 || random.chance(0.4) ? random.pick(LEAVES)(random, depth) : random.pick(BRANCHES)(random, depth);
  if (random.chance(0.9) || '$ref' in made.schema) return made;
  return { ...made, schema: { ...made.schema, title: 'A title', description: 'Some words', default: null } };
}

/** A schema of up to three levels. */
export function randomSchema(random: Random): SampledSchema {
  const made = random.pick([...BRANCHES, string, number])(random, 3);
  return { ...made, schema: { ...made.schema, $defs: DEFINITIONS } };
}
