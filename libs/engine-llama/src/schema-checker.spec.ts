import { expect, it } from 'vitest';
import { SchemaChecker } from './schema-checker.js';

const checker = new SchemaChecker();

it.each<[string, object, string, boolean]>([
  ['the newest draft', { prefixItems: [{ type: 'integer' }], items: false }, '[1]', true],
  ['the newest draft', { prefixItems: [{ type: 'integer' }], items: false }, '["a"]', false],
  ['draft 7 by its name', { $schema: 'http://json-schema.org/draft-07/schema#', contains: { const: 1 }, minContains: 2 }, '[1]', true],
  ['draft 7 by its words', { items: [{ type: 'integer' }], additionalItems: false }, '[1,2]', false],
  ...['dependencies', 'additionalItems', '$recursiveRef'].map((name): [string, object, string, boolean] => [
    `the newest draft where a property is named ${name}`,
    {
      properties: { [name]: { type: 'array' } },
      additionalProperties: { contains: { const: 1 }, maxContains: 1 },
      default: { items: [1] },
    },
    '{"a":[1,1,1]}',
    false,
  ]),
  [
    'the draft that is named, whatever the words',
    { $schema: 'https://json-schema.org/draft/2020-12/schema', dependencies: { a: ['b'] }, contains: { const: 1 }, maxContains: 1 },
    '[1,1]',
    false,
  ],
  ['older words beside newer ones', { items: [{ type: 'integer' }], contains: { const: 1 }, maxContains: 1 }, '[1,1]', false],
  ['null as OpenAPI says it', { nullable: true, anyOf: [{ type: 'string', not: { const: 'a' } }] }, 'null', true],
  ['null as OpenAPI says it', { nullable: true, anyOf: [{ type: 'string', not: { const: 'a' } }] }, '"a"', false],
  ['bounds of draft 4', { minimum: 3, exclusiveMinimum: true, not: { const: 5 } }, '3', false],
  ['bounds of draft 4', { minimum: 3, exclusiveMinimum: true, not: { const: 5 } }, '4', true],
  ['the id of draft 4', { id: 'http://a.b/c', properties: { id: { id: 'd', required: true, not: { const: 1 } } } }, '{"id":1}', false],
  ['the id of draft 4', { id: 'http://a.b/c', properties: { id: { id: 'd', required: true, not: { const: 1 } } } }, '{"id":2}', true],
  ['keywords that are null', { properties: { a: { not: { const: null }, items: null } }, required: null }, '{"a":null}', false],
  ['draft 2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema', dependentRequired: { a: ['b'] } }, '{"a":1}', false],
  ['patterns without the flag u', { pattern: '^\\@$' }, '"@"', true],
  ['patterns of Python', { pattern: '(?i)^(?P<a>x)\\Z' }, '"X"', true],
  ['patterns of Python', { pattern: '(?i)^(?P<a>x)\\Z' }, '"XX"', false],
  ['formats as annotations', { format: 'uri' }, '"no uri"', true],
  ['fractions', { multipleOf: 0.01 }, '19.99', true],
  ['what is no JSON', {}, '{', false],
])('checks answers by %s', (_, schema, text, fits) => {
  expect(checker.faultOf(schema, text) === null).toBe(fits);
});

it.each([{ $ref: 'https://example.com/other' }, { type: 'string', pattern: 'a++' }])(
  'a schema that cannot be checked is refused: %j',
  (schema) => {
    expect(() => checker.prepare(schema)).toThrow(expect.objectContaining({ code: 'unsupported_value' }));
  },
);
