import { expect, it } from 'vitest';
import { SchemaChecker } from './schema-checker.js';

const checker = new SchemaChecker();

it.each<[string, object, string, boolean]>([
  ['the newest draft', { prefixItems: [{ type: 'integer' }], items: false }, '[1]', true],
  ['the newest draft', { prefixItems: [{ type: 'integer' }], items: false }, '["a"]', false],
  ['draft 7 by its name', { $schema: 'http://json-schema.org/draft-07/schema#', contains: { const: 1 }, minContains: 2 }, '[1]', true],
  ['draft 7 by its words', { items: [{ type: 'integer' }], additionalItems: false }, '[1,2]', false],
  ['draft 2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema', dependentRequired: { a: ['b'] } }, '{"a":1}', false],
  ['patterns without the flag u', { pattern: '^\\@$' }, '"@"', true],
  ['patterns of Python', { pattern: '(?i)^(?P<a>x)\\Z' }, '"X"', true],
  ['patterns of Python', { pattern: '(?i)^(?P<a>x)\\Z' }, '"XX"', false],
  ['formats as annotations', { format: 'uri' }, '"no uri"', true],
  ['fractions', { multipleOf: 0.01 }, '19.99', true],
  ['what is no JSON', {}, '{', false],
])('an answer is checked by %s', (_, schema, text, fits) => {
  expect(checker.faultOf(schema, text) === null).toBe(fits);
});

it.each([{ $ref: 'https://example.com/other' }, { type: 'string', pattern: 'a++' }])(
  'a schema that cannot be checked is refused: %j',
  (schema) => {
    expect(() => checker.prepare(schema)).toThrow(expect.objectContaining({ code: 'unsupported_value' }));
  },
);
