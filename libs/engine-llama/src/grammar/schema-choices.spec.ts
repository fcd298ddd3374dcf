import { describe, expect, it } from 'vitest';
import { GbnfReader } from './gbnf-reader.js';
import { GrammarWalk } from './grammar-walk.js';
import { jsonSchemaRules } from './json-schema-grammar.js';

const walkOf = (schema: unknown): GrammarWalk => new GrammarWalk(new GbnfReader(jsonSchemaRules(schema, '').rules).read(), 'root');

/** Most readings of a text's beginning at once; stops at too many. */
function mostWays(walk: GrammarWalk, text: string): number {
  let ways = walk.start();
  let most = ways.size;
  for (const char of text) {
    ways = walk.after(ways, char.codePointAt(0) ?? 0);
    expect(ways.size, text).toBeGreaterThan(0);
    most = Math.max(most, ways.size);
    if (most > 1_000) return most;
  }
  return most;
}

const closed = (properties: object, required: readonly string[] = Object.keys(properties)): object => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const [T, X, Y] = ['T', 'X', 'Y'].map((name) => ({ $ref: `#/$defs/${name}` }));
const LIST = { type: 'array', items: T };
const TEXT = { type: 'string' };
const either = (x: object, y: object, ...others: object[]): object => ({ $defs: { T: { anyOf: [X, Y, ...others] }, X: x, Y: y }, ...T });
const kinds = (count: number, make: (i: number) => object): object => ({
  $defs: {
    T: { anyOf: Array.from({ length: count }, (_, i) => ({ $ref: `#/$defs/N${i}` })) },
    ...Object.fromEntries(Array.from({ length: count }, (_, i) => [`N${i}`, make(i)])),
  },
  ...T,
});

const DEPTH = 40;
const MOST_WAYS = 150;

describe('a recursive choice', () => {
  it.each<[string, unknown, string, string[], string[]]>([
    [
      'children before the tag',
      either(closed({ children: LIST, kind: { const: 'x' } }), closed({ children: LIST, kind: { const: 'y' }, n: { type: 'integer' } })),
      '{"children":[',
      ['{"children":[{"children":[],"kind":"x"}],"kind":"y","n":1}', '{"children":[], "kind": "x"}'],
      ['{"children":[],"kind":"x","n":1}', '{"children":[],"kind":"y"}', '{"children":[],"kind":"z"}'],
    ],
    [
      'a tag that may be absent, behind what may be absent',
      either(
        closed({ title: TEXT, children: LIST, kind: { const: 'x' } }, ['children']),
        closed({ children: LIST, kind: { const: 'y' }, n: { type: 'integer' } }, ['children']),
      ),
      '{"children":[',
      ['{"title":"a","children":[{"children":[]}]}', '{"children":[],"n":1}', '{"children":[],"kind":"x"}'],
      ['{"title":"a","children":[],"kind":"y"}', '{"title":"a","children":[],"n":1}', '{"kind":"x"}'],
    ],
    [
      'a choice that is written at each place',
      {
        $defs: {
          X: closed({ items: { type: 'array', items: { anyOf: [X, Y] } } }),
          Y: closed({ items: { type: 'array', items: { anyOf: [X, Y] } }, or: { const: true } }),
        },
        anyOf: [X, Y],
      },
      '{"items":[',
      ['{"items":[{"items":[]},{"items":[],"or":true}]}'],
      ['{"items":[1]}', '{"items":[],"or":false}'],
    ],
    [
      'comparisons of numbers',
      either(closed({ left: T, op: { enum: ['<', '>'] }, right: T }), closed({ left: T, op: { enum: ['and', 'or'] }, right: T }), {
        type: 'number',
      }),
      '{"left":',
      ['{"left":1,"op":"<","right":{"left":-2.5,"op":"and","right":3e2}}'],
      ['{"left":1,"op":"=","right":2}', '{"left":1,"op":"<"}'],
    ],
    [
      'a title first',
      either(closed({ title: TEXT, children: LIST, panel: TEXT }), closed({ title: TEXT, children: LIST, row: TEXT })),
      '{"title":"","children":[',
      ['{"title":"a","children":[{"title":"","children":[],"panel":"p"}],"row":"r"}'],
      ['{"title":"a","children":[]}', '{"title":"a","children":[],"panel":"p","row":"r"}'],
    ],
    [
      'branches that hold only one of them',
      either(closed({ children: { type: 'array', items: X }, kind: { const: 'x' } }), closed({ children: LIST, kind: { const: 'y' } })),
      '{"children":[',
      ['{"children":[{"children":[{"children":[],"kind":"x"}],"kind":"y"}],"kind":"y"}'],
      ['{"children":[{"children":[],"kind":"y"}],"kind":"x"}'],
    ],
    [
      'texts of different lengths',
      either(
        closed({ name: TEXT, child: T }, ['name']),
        closed({ name: { ...TEXT, minLength: 3 }, child: T, kind: { const: 'y' } }, ['name', 'kind']),
      ),
      '{"name":"abc","child":',
      ['{"name":"a","child":{"name":"abc","kind":"y"}}'],
      ['{"name":"ab","kind":"y"}'],
    ],
    [
      'arrays of different lengths',
      {
        anyOf: [
          { type: 'array', items: { $ref: '#' }, maxItems: 3 },
          { type: 'array', items: { $ref: '#' }, maxItems: 4 },
        ],
      },
      '[',
      ['[[],[],[],[[]]]'],
      ['[[],[],[],[],[]]'],
    ],
    [
      'members of which one must be there',
      {
        $defs: {
          T: {
            type: 'object',
            properties: { children: LIST, a: { type: 'integer' }, b: { type: 'integer' } },
            anyOf: [{ required: ['a'] }, { required: ['b'] }],
          },
        },
        ...T,
      },
      '{"children":[',
      ['{"children":[{"a":1}],"b":2}', '{"a":1,"b":2}'],
      ['{"children":[{}],"a":1}', '{}'],
    ],
    [
      'members that need others',
      {
        $defs: {
          T: {
            type: 'object',
            properties: { children: LIST, a: { type: 'integer' }, b: { type: 'integer' } },
            dependentRequired: { a: ['b'] },
          },
        },
        ...T,
      },
      '{"children":[',
      ['{"children":[{"a":1,"b":2}]}', '{"b":1}'],
      ['{"a":1}', '{"children":[{"a":1}]}'],
    ],
    [
      'a hundred kinds, the tag last',
      kinds(100, (i) => closed({ id: TEXT, children: LIST, kind: { const: `k${i}` } })),
      '{"id":"","children":[',
      ['{"id":"","children":[{"id":"","children":[],"kind":"k99"}],"kind":"k7"}'],
      ['{"id":"","children":[],"kind":"k100"}'],
    ],
    [
      'kinds with many members that may be absent',
      kinds(5, (i) =>
        closed({ ...Object.fromEntries(Array.from({ length: 12 }, (_, j) => [`o${j}`, TEXT])), children: LIST, kind: { const: `k${i}` } }, [
          'children',
          'kind',
        ]),
      ),
      '{"o1":"","o7":"","children":[',
      ['{"o3":"","o11":"","children":[{"children":[],"kind":"k4"}],"kind":"k0"}'],
      ['{"o4":"","o3":"","children":[],"kind":"k0"}'],
    ],
  ])('is enforced with few readings: %s', (...[, schema, level, taken, refused]) => {
    expect(jsonSchemaRules(schema, '').leftOut.filter((place) => !place.endsWith('oneOf'))).toEqual([]);
    const walk = walkOf(schema);
    for (const text of taken) expect(walk.accepts(text), text).toBe(true);
    for (const text of refused) expect(walk.accepts(text), text).toBe(false);
    expect(mostWays(walk, level.repeat(DEPTH))).toBeLessThan(MOST_WAYS);
  });

  it.each<[string, object, string]>([
    [
      'one name may be the other’s',
      either(
        closed({ name: { ...TEXT, pattern: '^[a-z]+$' }, child: T }, ['name']),
        closed({ name: TEXT, child: T, kind: { const: 'y' } }, ['name', 'kind']),
      ),
      '{"name":"a","child":',
    ],
    [
      'each branch holds what the other does not',
      either(closed({ l: X, r: T, k: { const: 'x' } }, ['k']), closed({ l: T, r: X, k: { const: 'y' } }, ['k'])),
      '{"l":',
    ],
  ])('is left out where branches are indistinguishable: %s', (_, choice, level) => {
    const { $defs, ...root } = choice as { $defs: object };
    const schema = { $defs, ...closed({ tree: root, count: { type: 'integer' } }) };
    expect(jsonSchemaRules(schema, '').leftOut).toEqual(['/$defs/T/anyOf']);
    const walk = walkOf(schema);
    for (const text of ['{"tree":{},"count":1}', '{"tree":[1],"count":2}']) expect(walk.accepts(text), text).toBe(true);
    for (const text of ['{"tree":{},"count":"1"}', '{"count":1}']) expect(walk.accepts(text), text).toBe(false);
    expect(mostWays(walk, `{"tree":${level.repeat(DEPTH)}`)).toBeLessThan(MOST_WAYS);
  });
});
