import type { OutputFormat, ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { read } from './request.samples.js';

const schema = { type: 'object', properties: { a: { type: 'number' } } };
/** JSON text of a schema within a schema, so many times. */
const levels = (many: number): string => `${'{"not":'.repeat(many)}1${'}'.repeat(many)}`;
const jsonSchema = (definition: unknown) => ({ response_format: { type: 'json_schema', json_schema: definition } });
/** The form that engines are asked for, and the field that asks for it. */
function readOutputForm(body: object): { param: string | undefined; output: OutputFormat } | null {
  const { canonical, names } = read(body);
  return canonical.output ? { param: names?.['response_format'], output: canonical.output } : null;
}
const faultOf = (body: object): { code: string; param: string | undefined } => {
  try {
    readOutputForm(body);
  } catch (error) {
    const { code, param, message } = error as ServiceError;
    expect(message).toMatch(/^[A-Z'].*\.$/);
    return { code, param };
  }
  throw new Error('The form was accepted.');
};

describe('the form of an answer', () => {
  it.each([
    {},
    { response_format: null },
    { response_format: { type: 'text' } },
    { structured_outputs: {} },
    { structured_outputs: { json: null, json_object: false } },
  ])('is free text with %j', (body) => {
    expect(readOutputForm(body)).toBeNull();
  });

  it('keeps the name and the strictness of a schema', () => {
    expect(readOutputForm(jsonSchema({ name: 'an-answer_1', schema, strict: true, description: 'x' }))).toEqual({
      param: 'response_format',
      output: { kind: 'json_schema', name: 'an-answer_1', schema, strict: true },
    });
    expect(readOutputForm(jsonSchema({ name: 'x', schema, strict: null }))?.output).toEqual({ kind: 'json_schema', name: 'x', schema });
  });

  it.each<[object, object]>([
    [{ response_format: { type: 'json_object' } }, { kind: 'json_object' }],
    [{ response_format: { type: 'json_object', schema } }, { kind: 'json_schema', schema }],
    [{ structured_outputs: { json: schema } }, { kind: 'json_schema', schema }],
    [{ structured_outputs: { json: JSON.stringify(schema), regex: null } }, { kind: 'json_schema', schema }],
    [{ structured_outputs: { json_object: true } }, { kind: 'json_object' }],
    [{ structured_outputs: { regex: '[a-z]+' } }, { kind: 'regex', pattern: '[a-z]+' }],
    [{ structured_outputs: { choice: ['yes', 'no'] } }, { kind: 'choice', options: ['yes', 'no'] }],
    [{ structured_outputs: { grammar: 'root ::= "x"' } }, { kind: 'grammar', grammar: 'root ::= "x"' }],
    [{ guided_json: schema }, { kind: 'json_schema', schema }],
    [{ guided_regex: 'a' }, { kind: 'regex', pattern: 'a' }],
    [{ guided_choice: ['a'] }, { kind: 'choice', options: ['a'] }],
    [{ guided_grammar: 'g' }, { kind: 'grammar', grammar: 'g' }],
    [{ json_schema: schema }, { kind: 'json_schema', schema }],
    [{ regex: 'a' }, { kind: 'regex', pattern: 'a' }],
    [{ ebnf: 'g' }, { kind: 'grammar', grammar: 'g' }],
    [
      { grammar: 'g', response_format: { type: 'text' } },
      { kind: 'grammar', grammar: 'g' },
    ],
  ])('asked for by %j is %j', (body, output) => {
    expect(readOutputForm(body)?.output).toEqual(output);
  });

  it.each<[object, string, string]>([
    [{ response_format: 'json' }, 'response_format', 'invalid_type'],
    [{ response_format: {} }, 'response_format.type', 'invalid_value'],
    [{ response_format: { type: 'xml' } }, 'response_format.type', 'invalid_value'],
    [{ response_format: { type: 'structural_tag' } }, 'response_format.type', 'invalid_value'],
    [{ response_format: { type: 'json_schema' } }, 'response_format.json_schema.name', 'missing_required_parameter'],
    [jsonSchema({ schema }), 'response_format.json_schema.name', 'missing_required_parameter'],
    [jsonSchema({ name: 5, schema }), 'response_format.json_schema.name', 'invalid_type'],
    [jsonSchema({ name: 'a b', schema }), 'response_format.json_schema.name', 'invalid_value'],
    [jsonSchema({ name: 'x' }), 'response_format.json_schema.schema', 'missing_required_parameter'],
    [jsonSchema({ name: 'x', schema: [] }), 'response_format.json_schema.schema', 'invalid_type'],
    [jsonSchema({ name: 'x', schema: { description: 'x'.repeat(1e6) } }), 'response_format.json_schema.schema', 'invalid_value'],
    [jsonSchema({ name: 'x', schema, strict: 1 }), 'response_format.json_schema.strict', 'invalid_type'],
    [{ structured_outputs: 'x' }, 'structured_outputs', 'invalid_type'],
    [{ structured_outputs: { structural_tag: '{}' } }, 'structured_outputs.structural_tag', 'unsupported_parameter'],
    [{ structured_outputs: { toString: 1 } }, 'structured_outputs.toString', 'unsupported_parameter'],
    [{ structured_outputs: { regex: 'a', choice: ['a'] } }, 'structured_outputs', 'invalid_value'],
    [{ structured_outputs: { json: 'no json' } }, 'structured_outputs.json', 'invalid_type'],
    [{ structured_outputs: { choice: [] } }, 'structured_outputs.choice', 'empty_array'],
    [{ structured_outputs: { choice: ['a', 5] } }, 'structured_outputs.choice[1]', 'invalid_type'],
    [{ structured_outputs: { choice: ['a', ''] } }, 'structured_outputs.choice[1]', 'missing_required_parameter'],
    [{ guided_choice: Array.from({ length: 1025 }, (_, i) => String(i)) }, 'guided_choice', 'array_above_max_length'],
    [{ guided_regex: 'x'.repeat(10_000) }, 'guided_regex', 'invalid_value'],
    [{ guided_grammar: '' }, 'guided_grammar', 'missing_required_parameter'],
    [{ response_format: { type: 'json_object' }, guided_regex: 'a' }, 'guided_regex', 'invalid_value'],
  ])('asked for by %j is refused', (body, param, code) => {
    expect(faultOf(body)).toEqual({ code, param });
  });

  it('requested twice the same way counts once', () => {
    const grammar = 'root ::= "a"';
    expect(readOutputForm({ guided_grammar: grammar, structured_outputs: { grammar } })?.output).toEqual({ kind: 'grammar', grammar });
    const named = { name: 'x', schema: { type: 'object', title: 'T' }, strict: true };
    const response_format = { type: 'json_schema', json_schema: named };
    const same = { title: 'T', type: 'object' };
    expect(readOutputForm({ response_format, guided_json: JSON.stringify(same), json_schema: same })?.output).toEqual({
      kind: 'json_schema',
      ...named,
    });
    expect(faultOf({ response_format, guided_json: { type: 'array' } })).toEqual({ code: 'invalid_value', param: 'guided_json' });
    expect(faultOf({ guided_regex: 'a', regex: 'b' })).toEqual({ code: 'invalid_value', param: 'regex' });
  });

  it.each<[string, string, string]>([
    ['too many levels', levels(100_000), 'json_too_deep'],
    ['one level too many', levels(65), 'json_too_deep'],
    ['half a character', '{"title":"\\ud800"}', 'invalid_unicode'],
    ['a key that means something to JavaScript', '{"__proto__":{}}', 'invalid_type'],
    ['nothing', '', 'invalid_type'],
  ])('as JSON text follows the body’s rules: %s', (_, json, code) => {
    expect(faultOf({ guided_json: json })).toEqual({ code, param: 'guided_json' });
    expect(faultOf({ structured_outputs: { json } })).toEqual({ code, param: 'structured_outputs.json' });
  });
});
