import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { GbnfReader } from '../../libs/engine-llama/src/grammar/gbnf-reader.js';
import { GrammarWalk } from '../../libs/engine-llama/src/grammar/grammar-walk.js';
import { jsonSchemaRules } from '../../libs/engine-llama/src/grammar/json-schema-grammar.js';
import { GrammarSampler } from '../engines/grammar-sampler.js';
import { Random } from '../engines/random.js';

type Json = unknown;
/** A value of a schema with a bounded depth. */
type Sample = (random: Random, depth: number) => Json;
interface Part {
  readonly schema: object;
  readonly sample: Sample;
}

const NAMES = ['id', 'title', 'kind', 'left', 'right', 'children', 'note'];
const LEAVES: readonly Part[] = [
  { schema: { type: 'string', enum: ['a', 'ab'] }, sample: (random) => random.pick(['a', 'ab']) },
  { schema: { type: 'string' }, sample: (random) => random.pick(['', 'a', 'x"y']) },
  { schema: { type: 'integer' }, sample: (random) => random.int(-12, 120) },
  { schema: { type: 'number', minimum: 0 }, sample: (random) => random.pick([0, 1.5, 12]) },
  { schema: { const: null }, sample: () => null },
];

/** A few kinds of objects that hold each other, with members and tags drawn at random, in one order or in several. */
function randomKinds(random: Random): Part {
  const parts: Part[] = [];
  const kindOf = (i: number): Part => ({ schema: { $ref: `#/$defs/N${i}` }, sample: (...args) => parts[i]!.sample(...args) });
  const any: Part = {
    schema: { $ref: '#/$defs/T' },
    sample: (draw, depth) => draw.pick(depth > 0 ? parts : parts.slice(-1)).sample(draw, depth - 1),
  };
  const listOf = ({ schema, sample }: Part): Part => ({
    schema: { type: 'array', items: schema },
    sample: (draw, depth) => draw.times(depth > 0 ? draw.int(0, 2) : 0, () => sample(draw, depth - 1)),
  });
  const count = random.int(2, 4);
  const memberOf = (): Part =>
    random.chance(0.4) ? listOf(random.chance(0.8) ? any : kindOf(random.int(0, count - 1))) : random.pick(LEAVES);
  const shared = new Map(NAMES.map((name) => [name, memberOf()]));
  for (let i = 0; i < count; i += 1) {
    const names = random.chance(0.7) ? NAMES : NAMES.toReversed();
    const members = names
      .filter(() => random.chance(0.5))
      .map((name) => ({
        name,
        part: random.chance(0.8) ? shared.get(name)! : memberOf(),
        required: random.chance(0.6),
      }));
    parts.push(objectOf(members));
  }
  parts.push(random.pick(LEAVES));
  const $defs = {
    T: { anyOf: [...parts.keys()].map((i) => kindOf(i).schema) },
    ...Object.fromEntries(parts.map(({ schema }, i) => [`N${i}`, schema])),
  };
  return { schema: { $defs, ...any.schema }, sample: any.sample };
}

function objectOf(members: readonly { name: string; part: Part; required: boolean }[]): Part {
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(members.map(({ name, part }) => [name, part.schema])),
      required: members.filter(({ required }) => required).map(({ name }) => name),
      additionalProperties: false,
    },
    sample: (random, depth) =>
      Object.fromEntries(
        members.filter(({ required }) => required || random.chance(0.5)).map(({ name, part }) => [name, part.sample(random, depth)]),
      ),
  };
}

const SCHEMAS = 10;
const TEXTS = 6;

function expectSameValues(seed: number): boolean {
  const random = new Random(seed);
  const { schema, sample } = randomKinds(random);
  const about = `seed ${seed}: ${JSON.stringify(schema)}`;
  const made = jsonSchemaRules(schema, '');
  const isValid = new Ajv2020({ strict: false, ownProperties: true }).compile(schema);
  const rules = new GbnfReader(made.rules).read();
  const walk = new GrammarWalk(rules, 'root');
  for (let i = 0; i < TEXTS; i += 1) {
    const written = new GrammarSampler(rules, random).sample('root', 60 * i);
    if (made.leftOut.length === 0) expect(isValid(JSON.parse(written)), `${about}\nthe grammar writes ${written}`).toBe(true);
    const value = sample(random, i);
    expect(isValid(value), `${about}\nthe sample ${JSON.stringify(value)} is wrong`).toBe(true);
    expect(walk.accepts(JSON.stringify(value)), `${about}\nthe grammar refuses ${JSON.stringify(value)}`).toBe(true);
  }
  expect(['', '/$defs/T/anyOf'], about).toContain(made.leftOut.join());
  return made.leftOut.length === 0;
}

describe('recursive unions of random objects', () => {
  it.each([1, 1_001])('are mostly enforced in full (seed %i)', (first) => {
    const held = Array.from({ length: SCHEMAS }, (_, i) => expectSameValues(first + i)).filter(Boolean);
    expect(held.length).toBeGreaterThan(SCHEMAS / 2);
  });
});
