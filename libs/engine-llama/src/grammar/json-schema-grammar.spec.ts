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

/** Definitions that begin with both of the next level's. */
function lattice(levels: number): Record<string, unknown> {
  const result: Record<string, unknown> = { [`d${levels}`]: { type: 'null' }, [`e${levels}`]: { const: 0 } };
  for (let i = 0; i < levels; i += 1) {
    const next = [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/e${i + 1}` }];
    result[`d${i}`] = { anyOf: next };
    result[`e${i}`] = { anyOf: [...next, { const: i + 1 }] };
  }
  return result;
}

describe('jsonSchemaRules', () => {
  it.each<[string, unknown, string[], string[]]>([
    ['any value', true, ['1', '"x"', '[{}]', 'null'], ['', 'undefined', ' 1', '1\n']],
    ['types', { type: ['integer', 'null'] }, ['7', '-12', 'null'], ['1.0', '1e3', '-0', '01', '"7"']],
    ['a constant', { const: { a: 'é"' } }, ['{"a":"é\\""}'], ['{"a": "é\\""}', '{}']],
    ['listed values', { type: 'string', enum: ['a', 'b', 3] }, ['"a"', '"b"'], ['3', '"c"']],
    [
      'an optional property',
      closed({ a: { type: 'null' }, b: { type: 'null' } }, ['b']),
      ['{"b":null}', '{"a": null, "b": null}'],
      ['{}', '{"a":null}', '{"b":null,"a":null}'],
    ],
    [
      'other properties',
      { type: 'object', properties: { a: { type: 'null' } }, additionalProperties: { type: 'boolean' } },
      ['{}', '{"a":null,"b":true}', '{"ab":false}'],
      ['{"a":true}', '{"b":1}', '{"\\u0061":true}'],
    ],
    [
      'a required property that is not listed',
      { required: ['x'], additionalProperties: { type: 'null' } },
      ['{"x":null}', '{"x":null,"y":null}'],
      ['{}', '{"y":null}'],
    ],
    ['no other properties where some are listed', { properties: { a: {} } }, ['{}', '{"a":1}'], ['{"b":1}', '[]', '1']],
    [
      'places of an array',
      { prefixItems: [{ type: 'null' }, { type: 'boolean' }], minItems: 1 },
      ['[null]', '[null, true]'],
      ['[]', '[true]', '[null,true,1]'],
    ],
    [
      'an array of some length',
      { type: 'array', items: { const: 1 }, minItems: 2, maxItems: 3 },
      ['[1,1]', '[1, 1, 1]'],
      ['[1]', '[1,1,1,1]', '[1 ,1]'],
    ],
    [
      'the length of a string',
      { type: 'string', minLength: 2, maxLength: 3 },
      ['"ab"', '"é😀\\n"', '"\\ud83d\\ude00x"'],
      ['"a"', '"abcd"', '"\\ud83d\\u0041"'],
    ],
    ['a pattern anywhere in a string', { type: 'string', pattern: '"\\d' }, ['"\\"1"', '"x\\"2y"'], ['"1"', '""1"']],
    [
      'bounded integers',
      { type: 'integer', minimum: -12, exclusiveMaximum: 105 },
      ['-12', '-1', '0', '9', '10', '99', '104'],
      ['-13', '105', '110', '-0', '00'],
    ],
    [
      'integers of one side',
      { type: 'integer', minimum: 1_000 },
      ['1000', '999999999999999999'],
      ['999', '0', '-1', '1000000000000000000'],
    ],
    ['integers between fractions', { type: 'integer', exclusiveMinimum: -1.5, maximum: 1.5 }, ['-1', '0', '1'], ['-2', '2']],
    [
      'bounded numbers',
      { type: 'number', minimum: -0.5, exclusiveMaximum: 10 },
      ['-0.5', '-0.49', '0', '9.99', '3', '-0.1'],
      ['-0.51', '10', '10.0', '-1', '1e0'],
    ],
    ['numbers above a bound', { type: 'number', exclusiveMinimum: 2.25 }, ['2.251', '2.3', '3', '1000000.5'], ['2.25', '2.250', '2', '-3']],
    ['numbers below nothing', { type: 'number', exclusiveMaximum: 0 }, ['-0.1', '-7'], ['0', '-0', '-0.0', '1']],
    ['alternatives', { anyOf: [{ type: 'null' }, { const: 1 }] }, ['null', '1'], ['2']],
    [
      'alternatives beside other keywords',
      { ...closed({ a: { type: 'null' }, b: { type: 'null' } }), anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      ['{"a":null}', '{"b":null}', '{"a":null,"b":null}'],
      ['{}'],
    ],
    [
      'all of some',
      { allOf: [closed({ a: { type: 'integer' }, b: {} }), { properties: { a: { minimum: 5 } }, required: ['a'] }] },
      ['{"a":5}', '{"a":7,"b":[]}'],
      ['{"a":4}', '{"b":1}', '{"a":5,"c":1}'],
    ],
    ['a reference with more beside it', { $defs: { n: { type: 'integer' } }, $ref: '#/$defs/n', minimum: 3 }, ['3'], ['2']],
    ['recursion', { type: 'object', properties: { next: { $ref: '#' } } }, ['{}', '{"next":{"next":{}}}'], ['{"next":1}']],
    [
      'recursion through all of one',
      { $defs: { n: { properties: { next: { title: 'Next', allOf: [{ $ref: '#/$defs/n' }] } } } }, allOf: [{ $ref: '#/$defs/n' }] },
      ['{}', '{"next":{"next":{}}}'],
      ['{"next":1}'],
    ],
    [
      'recursion through a reference with more beside it',
      { type: 'object', properties: { next: { $ref: '#', type: 'object' } } },
      ['{}', '{"next":{"next":{}}}'],
      ['{"next":1}'],
    ],
    [
      'recursion through a reference that is narrowed',
      { properties: { a: { const: 1 }, next: { allOf: [{ $ref: '#' }, { required: ['a'] }] } } },
      ['{}', '{"next":{"a":1}}', '{"next":{"a":1,"next":{"a":1}}}'],
      ['{"next":{}}', '{"next":{"a":1,"next":{}}}'],
    ],
    [
      'optional parts that refer to what allows nothing',
      { $defs: { no: false }, properties: { a: { $ref: '#/$defs/no' }, b: { const: 1 }, c: { items: { $ref: '#/$defs/no' } } } },
      ['{}', '{"b":1}', '{"b":1,"c":[]}'],
      ['{"a":1}', '{"c":[1]}'],
    ],
    [
      'optional parts that refer to what has no end',
      {
        $defs: { loop: { properties: { x: { $ref: '#/$defs/loop' } }, required: ['x'] } },
        properties: { a: { $ref: '#/$defs/loop' }, b: {} },
      },
      ['{}', '{"b":1}'],
      ['{"a":{}}', '{"a":1}'],
    ],
    [
      'a required property beside those that are listed',
      { type: 'object', properties: { a: { const: 1 } }, required: ['b'] },
      ['{"b":[2]}', '{"a":1,"b":null}'],
      ['{"a":1}', '{}', '{"b":1,"c":1}'],
    ],
    [
      'integers beyond what doubles distinguish',
      { type: 'integer', exclusiveMinimum: 2 ** 53, exclusiveMaximum: 2 ** 53 + 4 },
      ['9007199254740993', '9007199254740994', '9007199254740995'],
      ['9007199254740992', '9007199254740996'],
    ],
    ['a lazy count of one', { type: 'string', pattern: '^a{1}?b+?$' }, ['"ab"', '"abb"'], ['"a?b"', '"b"']],
    ['no values among some', { properties: { a: { enum: [] }, b: { const: null } } }, ['{}', '{"b":null}'], ['{"a":null}']],
    [
      'values of every spelling',
      { enum: ['"', '\\', '\u2028', '😀', '\ud83d', '\u0000\n', -0, 1e21, [], {}] },
      ['"\\""', '"\\\\"', '"\u2028"', '"😀"', '"\\ud83d"', '"\\u0000\\n"', '0', '1e+21', '[]', '{}'],
      ['"\\u0022"', '-0', '"'],
    ],
    ['pointers with escapes', { definitions: { 'a/b~c d': { const: 1 } }, $ref: '#/definitions/a~1b~0c%20d' }, ['1'], ['2']],
    ['null as OpenAPI says it', { type: 'string', enum: ['a', null], nullable: true }, ['"a"', 'null'], ['"b"']],
    [
      'names of every kind',
      closed({ 'a"b\\': { const: 1 }, '\u0001': { const: 2 }, __proto__x: { const: 3 } }, ['a"b\\']),
      ['{"a\\"b\\\\":1,"\\u0001":2}'],
      ['{}'],
    ],
    [
      'annotations',
      { title: 't', description: 'd', default: 1, examples: [1], $comment: 'c', deprecated: true, 'x-y': 1, uniqueItems: false, const: 1 },
      ['1'],
      ['2'],
    ],
    [
      'dates',
      { type: 'string', format: 'date' },
      ['"2024-02-29"', '"2000-02-29"', '"0001-12-31"'],
      ['"2023-02-29"', '"1900-02-29"', '"2024-04-31"', '"2024-13-01"'],
    ],
  ])('enforces %s', (_, schema, taken, refused) => expectLanguage(schema, taken, refused));

  it('excludes a property by its whole name', () => {
    const schema = { type: 'object', properties: { name: { const: 1 }, na: { const: 2 } }, additionalProperties: { const: 3 } };
    expectLanguage(schema, ['{"n":3,"names":3,"":3}', '{"name":1,"na":2,"nam":3}'], ['{"na":3}', '{"name":3}']);
  });

  it.each<[string, unknown, string]>([
    ['no schema', 'text', 'must be an object or a boolean'],
    ['a type that is no name', { type: 5 }, 'must be one of null'],
    ['types of which one is no name', { type: ['string', {}] }, 'must be one of null'],
    ['a count that is none', { type: 'string', minLength: -1 }, '"minLength" at #'],
    ['required that is no list', { required: 'a' }, '"required" at #'],
    ['properties that are no object', { properties: [] }, '"properties" at #'],
    ['no alternatives', { anyOf: [] }, 'must not be empty'],
    ['a reference to no anchor', { $ref: '#name' }, 'points at nothing'],
    ['a divisor that is none', { type: 'integer', multipleOf: 0 }, '"multipleOf" at #'],
    ['a negation of nothing', { not: 5 }, '"not" at #'],
    ['a reference to nothing', { $ref: '#/$defs/gone' }, 'points at nothing'],
    ['a reference to what every object has', { $ref: '#/constructor' }, 'points at nothing'],
    ['a reference to itself', { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }, ''],
    ['a reference to itself as all of one', { allOf: [{ $ref: '#' }] }, 'always contains itself'],
    ['a reference to itself beside others', { type: 'object', allOf: [{ $ref: '#' }] }, 'leads back to itself'],
    ['a choice of itself', { anyOf: [{ $ref: '#' }, { type: 'null' }] }, 'without anything between'],
    ['a value that contains itself', closed({ a: { $ref: '#' } }, ['a']), 'No finite value'],
    ['nothing', false, 'No value can satisfy'],
    [
      'a required part that refers to nothing',
      { $defs: { no: false }, properties: { a: { $ref: '#/$defs/no' } }, required: ['a'] },
      'No value',
    ],
    ['a contradiction', { type: 'integer', minimum: 2, maximum: 1 }, 'No value can satisfy'],
    ['contradicting types', { allOf: [{ type: 'string' }, { type: 'null' }] }, 'No value can satisfy'],
    ['a required property that is not allowed', { required: ['a'], additionalProperties: false }, 'requires the property "a"'],
  ])('refuses an invalid schema: %s', (_, schema, message) => {
    expect(() => jsonSchemaRules(schema, '')).toThrow(
      expect.objectContaining({ code: 'invalid_value', message: expect.stringContaining(message) }),
    );
  });

  it.each<[string, unknown]>([
    ['a billion elements', { type: 'array', items: { type: 'null' }, minItems: 1e9, maxItems: 2e9 }],
    ['a string of up to 2^53 characters', { type: 'string', minLength: 1, maxLength: Number.MAX_SAFE_INTEGER }],
    ['500 optional properties', closed(Object.fromEntries(Array.from({ length: 500 }, (__, i) => [`p${i}`, { type: 'integer' }])))],
    ['a list of 5,000 values', { enum: Array.from({ length: 5_000 }, (__, i) => `value ${i}`) }],
  ])('stays small for %s', (_, schema) => {
    expect(jsonSchemaRules(schema, '').rules.length).toBeLessThan(200_000);
  });

  it.each<[string, unknown, string]>([
    ['names', closed(Object.fromEntries(Array.from({ length: 40_000 }, (__, i) => [`property${i}`, {}]))), 'too large'],
    ['paths', { $defs: lattice(60), $ref: '#/$defs/d0' }, 'too many ways'],
    ['readings', { type: 'string', pattern: '^(?:(?:a|aa){1,50}(?:a|aaa){1,50}){1,50}b{1,5000}$' }, 'too ambiguous'],
  ])('refuses a schema with too many %s', (_, schema, message) => {
    expect(() => jsonSchemaRules(schema, '')).toThrow(
      expect.objectContaining({ code: 'unsupported_value', message: expect.stringContaining(message) }),
    );
  });
});
