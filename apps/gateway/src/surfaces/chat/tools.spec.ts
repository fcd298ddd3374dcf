import type { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { read } from './request.samples.js';

const tool = (name = 'f', fields: object = {}) => ({ type: 'function', function: { name, ...fields } });
const tools = [tool('f'), tool('g'), tool('h')];
const allowed = (mode: unknown, names: unknown) => ({ type: 'allowed_tools', allowed_tools: { mode, tools: names } });
const named = (name: unknown) => ({ type: 'function', function: { name } });
/** What of a request's tools engines get. */
function readTools(body: object): object {
  const { tools: shown, tool_choice, parallel_tool_calls } = read(body).canonical;
  return JSON.parse(JSON.stringify({ tools: shown, tool_choice, parallel_tool_calls })) as object;
}
const faultOf = (body: object): { code: string; param: string | undefined } => {
  try {
    readTools(body);
  } catch (error) {
    const { code, param, message } = error as ServiceError;
    expect(message).toMatch(/^[A-Z'].*\.$/);
    return { code, param };
  }
  throw new Error('The tools were accepted.');
};

describe('tools', () => {
  it('keep what the model is to know of them', () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const weather = tool('get_weather', { description: 'The weather.', parameters, strict: true });
    expect(readTools({ tools: [weather, tool('now', { description: null, parameters: null, strict: null })] })).toEqual({
      tools: [{ name: 'get_weather', description: 'The weather.', parameters, strict: true }, { name: 'now' }],
    });
  });

  it.each([undefined, null, []])('that are %j count as none', (none) => {
    for (const choice of [undefined, null, 'none', 'auto']) {
      expect(readTools({ tools: none, tool_choice: choice, parallel_tool_calls: false })).toEqual({});
    }
    for (const choice of ['required', 'any', named('f'), allowed('auto', [named('f')]), 5]) {
      expect(faultOf({ tools: none, tool_choice: choice })).toEqual({ code: 'invalid_value', param: 'tool_choice' });
    }
  });

  it.each(['none', 'auto', 'required'])('may be chosen by %s', (choice) => {
    expect(readTools({ tools, tool_choice: choice })).toMatchObject({
      tools: [{ name: 'f' }, { name: 'g' }, { name: 'h' }],
      tool_choice: choice,
    });
  });

  it('may be chosen by name', () => {
    expect(readTools({ tools, tool_choice: named('g') })).toMatchObject({ tool_choice: { name: 'g' } });
  });

  it.each(['auto', 'required'])('that are not allowed are hidden, called by %s', (mode) => {
    expect(readTools({ tools, tool_choice: allowed(mode, [named('h'), named('f')]) })).toEqual({
      tools: [{ name: 'f' }, { name: 'h' }],
      tool_choice: mode,
    });
  });

  it.each([true, false])('may run beside each other: %s', (parallel) => {
    expect(readTools({ tools, parallel_tool_calls: parallel })).toMatchObject({ parallel_tool_calls: parallel });
  });

  it.each<[string, object, string, string]>([
    ['an object', { tools: {} }, 'tools', 'invalid_type'],
    ['129 of them', { tools: Array.from({ length: 129 }, (_, i) => tool(`f${i}`)) }, 'tools', 'array_above_max_length'],
    ['text', { tools: ['f'] }, 'tools[0]', 'invalid_type'],
    ['custom', { tools: [tool(), { type: 'custom', custom: { name: 'x' } }] }, 'tools[1].type', 'invalid_value'],
    ['without a type', { tools: [{ function: { name: 'f' } }] }, 'tools[0].type', 'invalid_value'],
    ['without a function', { tools: [{ type: 'function' }] }, 'tools[0].function', 'missing_required_parameter'],
    ['without a name', { tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name', 'missing_required_parameter'],
    ['with a name of 129 characters', { tools: [tool('x'.repeat(129))] }, 'tools[0].function.name', 'invalid_value'],
    ['with a name of two words', { tools: [tool('a b')] }, 'tools[0].function.name', 'invalid_value'],
    ['with one name for two', { tools: [tool('f'), tool('f')] }, 'tools[1].function.name', 'invalid_value'],
    ['with a number to describe it', { tools: [tool('f', { description: 5 })] }, 'tools[0].function.description', 'invalid_type'],
    ['with strict as text', { tools: [tool('f', { strict: 'yes' })] }, 'tools[0].function.strict', 'invalid_type'],
    ['with a list of parameters', { tools: [tool('f', { parameters: [] })] }, 'tools[0].function.parameters', 'invalid_type'],
    [
      'with an array for arguments',
      { tools: [tool('f', { parameters: { type: 'array' } })] },
      'tools[0].function.parameters.type',
      'invalid_value',
    ],
    [
      'with a schema of a megabyte',
      { tools: [tool('f', { parameters: { description: 'x'.repeat(1e6) } })] },
      'tools[0].function.parameters',
      'invalid_value',
    ],
    ['with parallel as text', { tools, parallel_tool_calls: 'no' }, 'parallel_tool_calls', 'invalid_type'],
    ['with a choice that is none of them', { tools, tool_choice: named('x') }, 'tool_choice', 'invalid_value'],
    ['with a choice without a name', { tools, tool_choice: { type: 'function' } }, 'tool_choice', 'invalid_value'],
    ['with a custom choice', { tools, tool_choice: { type: 'custom', custom: { name: 'f' } } }, 'tool_choice', 'invalid_value'],
    ['with the choice of another contract', { tools, tool_choice: 'any' }, 'tool_choice', 'invalid_value'],
    ['with nothing allowed', { tools, tool_choice: allowed('auto', []) }, 'tool_choice', 'invalid_value'],
    ['with an unknown one allowed', { tools, tool_choice: allowed('auto', [named('x')]) }, 'tool_choice', 'invalid_value'],
    ['with another kind allowed', { tools, tool_choice: allowed('auto', [{ type: 'mcp' }]) }, 'tool_choice', 'invalid_value'],
    ['with an unknown mode', { tools, tool_choice: allowed('none', [named('f')]) }, 'tool_choice', 'invalid_value'],
  ])('%s are refused', (_, body, param, code) => {
    expect(faultOf(body)).toEqual({ code, param });
  });
});
