import { describe, expect, it } from 'vitest';
import { GbnfReader } from './gbnf-reader.js';
import { GrammarWalk } from './grammar-walk.js';
import { jsonSchemaRules } from './json-schema-grammar.js';

const walkOf = (schema: unknown): GrammarWalk => new GrammarWalk(new GbnfReader(jsonSchemaRules(schema, '').rules).read(), 'root');

function expectLanguage(schema: unknown, taken: readonly string[], refused: readonly string[]): void {
  const walk = walkOf(schema);
  for (const text of taken) expect(walk.accepts(text), text).toBe(true);
  for (const text of refused) expect(walk.accepts(text), text).toBe(false);
}

const closed = (properties: object, required: string[] = []): object => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

describe('a grammar of JSON schema keywords', () => {
  it.each<[string, unknown, string[], string[], string[]]>([
    ['not', closed({ a: { type: 'integer', not: { const: 1 } } }, ['a']), ['/properties/a/not'], ['{"a":2}'], ['{"a":"x"}', '{}']],
    ['if', JSON.parse('{"type":"integer","minimum":3,"if":{"const":4},"then":false}'), ['/if'], ['5'], ['2']],
    [
      'contains',
      { type: 'array', items: { type: 'null' }, contains: {}, minContains: 2 },
      ['/contains', '/minContains'],
      ['[null]'],
      ['[1]'],
    ],
    ['uniqueItems of many values', { type: 'array', items: { type: 'null' }, uniqueItems: true }, ['/uniqueItems'], ['[null]'], ['[1]']],
    ['a pattern that looks behind', { type: 'string', pattern: '(?<=a)b', maxLength: 2 }, ['/pattern'], ['"ab"'], ['"abc"', '1']],
    ...['a++b', '(?>a)b', '(?x) a', '(?<=', '(?i)ä'].map((pattern): [string, unknown, string[], string[], string[]] => [
      `the pattern ${pattern}`,
      closed({ a: { type: 'string', pattern }, b: { type: 'integer' } }),
      ['/properties/a/pattern'],
      ['{"a":"x","b":1}'],
      ['{"a":1}', '{"b":"x"}'],
    ]),
    [
      'keywords that are null',
      {
        ...closed({ a: { type: 'array', items: null }, b: { type: 'object', properties: null, required: null } }, ['a']),
        $ref: null,
        not: null,
      },
      ['/$ref', '/not', '/properties/a/items', '/properties/b/properties', '/properties/b/required'],
      ['{"a":[1],"b":{"c":1}}'],
      ['{"b":{}}', '{"a":{}}'],
    ],
    ['a reference elsewhere', { $ref: 'https://example.com/schema', type: 'null' }, ['/$ref'], ['null'], ['1']],
    ['that only one of some branches may hold', { oneOf: [{ type: 'integer' }, { type: 'number' }] }, ['/oneOf'], ['1', '1.5'], ['"a"']],
    ['a divisor that is too large', { type: 'integer', multipleOf: 1_009, minimum: 5 }, ['/multipleOf'], ['5'], ['4']],
    ['bounds with too many digits', { type: 'number', minimum: 0.1234567890123456 }, ['/minimum'], ['0.5'], ['"a"']],
    [
      'some of too many choices that hold together',
      { type: 'integer', allOf: Array.from({ length: 9 }, (_, i) => ({ anyOf: [{ minimum: i }, { maximum: -i }] })) },
      ['/allOf/8/anyOf'],
      ['7', '-7'],
      ['"a"', '3'],
    ],
  ])('leaves out and names only: %s', (...[, schema, places, taken, refused]) => {
    expect(jsonSchemaRules(schema, '').leftOut).toEqual(places);
    expectLanguage(schema, taken, refused);
  });

  it.each<[string, unknown, string[], string[]]>([
    [
      'tuples of older drafts',
      { type: 'array', items: [{ type: 'null' }, { type: 'boolean' }], additionalItems: { const: 1 }, minItems: 2 },
      ['[null,true]', '[null,false,1,1]'],
      ['[null]', '[true,true]', '[null,true,2]'],
    ],
    ['closed tuples of older drafts', { items: [{ type: 'null' }], additionalItems: false }, ['[]', '[null]'], ['[null,1]']],
    [
      'names that are listed',
      { type: 'object', propertyNames: { enum: ['a', 'b'] }, additionalProperties: { type: 'integer' } },
      ['{}', '{"a":1}', '{"a":1,"b":2}'],
      ['{"c":1}', '{"a":"x"}'],
    ],
    [
      'names of a pattern',
      { type: 'object', propertyNames: { pattern: '^[a-z]+$' }, additionalProperties: { type: 'null' } },
      ['{"ab":null}', '{}'],
      ['{"A":null}', '{"":null}'],
    ],
    [
      'values by the pattern of their names',
      {
        type: 'object',
        properties: { ax: { minimum: 5 } },
        patternProperties: { '^a': { type: 'integer' }, '^b': { type: 'string' } },
        additionalProperties: { type: 'null' },
      },
      ['{"ax":7}', '{"ab":1,"bc":"x","c":null}', '{}'],
      ['{"ax":4}', '{"ab":"x"}', '{"b":1}', '{"c":1}'],
    ],
    [
      'no other names than those of patterns',
      { patternProperties: { '^a': { const: 1 } }, additionalProperties: false },
      ['{"ab":1}', '{}'],
      ['{"b":1}', '{"ab":2}'],
    ],
    ['a length beside a format', { type: 'string', format: 'email', maxLength: 9 }, ['"a@b.co"', '"abc@de.fg"'], ['"abcd@ef.gh"', '"x"']],
    [
      'a length beside a format that is not known',
      { type: 'string', format: 'uri', minLength: 1, maxLength: 3 },
      ['"abc"'],
      ['""', '"abcd"'],
    ],
    [
      'a length beside a pattern',
      { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 3 },
      ['"ab"', '"abc"'],
      ['"a"', '"abcd"', '"A1"'],
    ],
    ['two patterns', { allOf: [{ type: 'string', pattern: '^a' }, { pattern: 'z$' }] }, ['"az"', '"abcz"'], ['"a"', '"z"', '"bz"']],
    ['a pattern that looks ahead', { type: 'string', pattern: '^(?=.*\\d)(?!x)\\w+$' }, ['"a1"', '"1"'], ['"a"', '"x1"', '"1 "']],
    [
      'an enum beside what else is said',
      { enum: ['a', 'bb', 1, { x: 1 }], pattern: '^b', required: ['y'] },
      ['"bb"', '1'],
      ['"a"', '{"x":1}'],
    ],
    [
      'distinct values',
      { type: 'array', items: { enum: ['a', 'b', 'c'] }, uniqueItems: true, minItems: 1 },
      ['["a"]', '["c","a","b"]'],
      ['[]', '["a","a"]'],
    ],
    ...(
      [
        ['flags of Python before it', '(?i)^[a-ck\\s]+$', ['"aBc"', '"K\u212a"'], ['"d"', '""']],
        ['a dot for all', '(?s)^a.b$', ['"a\\nb"'], ['"ab"']],
        ['no dot for line breaks', '^a.b$', ['"axb"'], ['"a\\nb"']],
        ['letters that are excluded in both cases', '(?iu)^[^a]$', ['"b"'], ['"a"', '"A"']],
        ['groups that Python names', '^(?P<year>\\d{4})-(?P<m>\\d)$', ['"2024-1"'], ['"24-1"']],
        ['the ends of a text as Python and Go write them', '\\Aab?\\Z|\\A[A]c\\z', ['"ab"', '"Ac"'], ['"xa"', '"abb"']],
      ] as const
    ).map(([name, pattern, taken, refused]): [string, unknown, string[], string[]] => [
      `a pattern with ${name}`,
      { type: 'string', pattern },
      [...taken],
      [...refused],
    ]),
    ['multiples', { type: 'integer', multipleOf: 7 }, ['0', '7', '-14', '700'], ['1', '15', '-6']],
    ['multiples within bounds', { type: 'integer', multipleOf: 5, minimum: 3, maximum: 20 }, ['5', '10', '20'], ['0', '25', '7', '-5']],
    ['multiples of a fraction', { type: 'number', multipleOf: 0.25 }, ['0.25', '1', '-2.5', '0', '3.75'], ['0.3', '1.1', '0.125']],
    ['multiples of large round numbers', { type: 'integer', multipleOf: 1_000 }, ['0', '1000', '25000'], ['100', '1001']],
    [
      'how many members there are',
      {
        type: 'object',
        properties: { a: { const: 1 }, b: { const: 2 }, c: { const: 3 } },
        additionalProperties: false,
        minProperties: 1,
        maxProperties: 2,
      },
      ['{"a":1}', '{"a":1,"c":3}', '{"b":2}'],
      ['{}', '{"a":1,"b":2,"c":3}'],
    ],
    [
      'how many members a map has',
      { type: 'object', additionalProperties: { const: 1 }, minProperties: 1, maxProperties: 2 },
      ['{"x":1}', '{"x":1,"y":1}'],
      ['{}', '{"x":1,"y":1,"z":1}'],
    ],
    [
      'properties that need others',
      { ...closed({ a: { const: 1 }, b: { const: 2 } }), dependentRequired: { a: ['b'] } },
      ['{}', '{"b":2}', '{"a":1,"b":2}'],
      ['{"a":1}'],
    ],
    [
      'properties that need others, in the words of older drafts',
      { ...closed({ a: { const: 1 }, b: { const: 2 } }), dependencies: { a: ['b'], b: { properties: { b: { const: 2 } } } } },
      ['{}', '{"b":2}', '{"a":1,"b":2}'],
      ['{"a":1}'],
    ],
    [
      'what is not evaluated',
      { allOf: [{ properties: { a: { const: 1 } } }], properties: { b: { const: 2 } }, unevaluatedProperties: false },
      ['{}', '{"b":2,"a":1}', '{"a":1,"b":2}'].slice(0, 2),
      ['{"c":1}'],
    ],
    [
      'a recursion that narrows at every level',
      {
        properties: { n: { $ref: '#/$defs/x' } },
        $defs: { x: { properties: { n: { allOf: [{ $ref: '#/$defs/x' }, { properties: { n: {} } }] } } } },
      },
      ['{}', '{"n":{"n":{}}}'],
      ['{"n":1}'],
    ],
    ['references by anchor', { $defs: { x: { $anchor: 'n', const: 1 } }, $ref: '#n' }, ['1'], ['2']],
    ['references by id', { $id: 'https://a.b/c', $defs: { x: { $id: 'x.json', const: 1 } }, $ref: 'x.json' }, ['1'], ['2']],
    [
      'dynamic references',
      { $dynamicAnchor: 'n', type: 'object', properties: { next: { $dynamicRef: '#n' } } },
      ['{}', '{"next":{}}'],
      ['{"next":1}'],
    ],
    [
      'bounds of OpenAPI 3.0',
      { type: 'integer', minimum: 3, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false },
      ['4', '5'],
      ['3', '6'],
    ],
    [
      'unknown keywords and annotations of every kind',
      {
        type: 'integer',
        discriminator: { propertyName: 'a' },
        'x-a': 1,
        title: 5,
        examples: {},
        markdownDescription: '',
        errorMessage: {},
        $comment: [],
      },
      ['1'],
      ['"a"'],
    ],
    [
      'tuples that are combined',
      {
        allOf: [
          { type: 'array', prefixItems: [{ type: 'integer' }, {}] },
          { prefixItems: [{ minimum: 5 }], items: { type: 'null' } },
        ],
      },
      ['[5]', '[7,null]'],
      ['[4]', '[5,1]'],
    ],
  ])('enforces %s', (_, schema, taken, refused) => {
    expect(jsonSchemaRules(schema, '').leftOut).toEqual([]);
    expectLanguage(schema, taken, refused);
  });
});
