import { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { read, tool } from './request.samples.js';

const namesOf = (tools: unknown[], rest: object = {}): string[] => (read({ tools, ...rest }).canonical.tools ?? []).map(({ name }) => name);
const namespace = (name: string, ...tools: object[]): object => ({ type: 'namespace', name, description: 'd', tools });
const custom = (name: string, rest: object = {}): object => ({ type: 'custom', name, ...rest });
const hosted = (type: string): object => ({ type });

function faultOf(fields: object): [param: unknown, message: string] {
  try {
    read(fields);
  } catch (error) {
    if (error instanceof ServiceError) return [error.param, error.message];
    throw error;
  }
  throw new Error('It was accepted.');
}

describe('a tool of the responses contract', () => {
  it('is a function with little but its name', () => {
    const { canonical } = read({ tools: [{ type: 'function', name: 'f', strict: null, parameters: null }] });
    expect(canonical.tools).toEqual([{ name: 'f' }]);
    expect(read({ tools: [tool('f')] }).canonical.tools).toEqual([
      { name: 'f', description: 'd', parameters: { type: 'object', properties: {} }, strict: true },
    ]);
  });

  it('of a namespace gets a name of both', () => {
    const { canonical, faces } = read({ tools: [namespace('mcp', tool('look')), namespace('web', tool('look'))] });
    expect(canonical.tools?.map(({ name }) => name)).toEqual(['mcp__look', 'web__look']);
    expect(faces.get('web__look')).toEqual({ kind: 'function', name: 'look', namespace: 'web' });
  });

  it('with a long or taken name gets a hash', () => {
    const long = namesOf([namespace('n'.repeat(60), tool('long_name'))]);
    expect(long[0]).toMatch(/^n{55}_[0-9a-f]{8}$/);
    const clash = namesOf([namespace('a', tool('b__c')), namespace('a__b', tool('c'))]);
    expect(clash).toEqual(['a__b__c', expect.stringMatching(/^a__b__c_[0-9a-f]{8}$/)]);
  });

  it('of a namespace keeps its name in earlier calls', () => {
    const tools = [namespace('a', tool('b__c')), namespace('a__b', tool('c'))];
    const input = [
      { type: 'function_call', call_id: 'x', name: 'c', namespace: 'a__b', arguments: '{}' },
      { type: 'function_call_output', call_id: 'x', output: 'r' },
    ];
    const { canonical } = read({ tools, input });
    expect(canonical.messages[0]).toMatchObject({ tool_calls: [{ name: canonical.tools?.[1]?.name }] });
  });

  it('of free text is a function with one string', () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' };
    const { canonical, faces } = read({ tools: [custom('patch', { description: 'Patches.', format })] });
    expect(canonical.tools).toEqual([
      {
        name: 'patch',
        description: 'Patches.\n\nThe input must follow this lark grammar:\nstart: "a"',
        parameters: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'], additionalProperties: false },
      },
    ]);
    expect(faces.get('patch')?.kind).toBe('custom');
  });

  it.each(['web_search', 'web_search_preview', 'image_generation', 'tool_search'])('that clients send unasked is left out: %s', (type) => {
    const { canonical, ignored, echo } = read({ tools: [tool('f'), hosted(type)] });
    expect([canonical.tools?.length, ignored]).toEqual([1, ['tools[1]']]);
    expect(echo).not.toContain(type);
    expect(read({ tools: [hosted(type)], tool_choice: 'auto' }).canonical).not.toHaveProperty('tools');
  });

  it.each(['mcp', 'file_search', 'computer_use_preview', 'code_interpreter', 'local_shell', 'shell', 'apply_patch'])(
    'that would run here is refused: %s',
    (type) => {
      expect(faultOf({ tools: [tool('f'), hosted(type)] })).toEqual([
        'tools[1].type',
        `'${type}' would run on the server; offer a function instead.`,
      ]);
    },
  );

  it.each<[string, object, string]>([
    ['of one name twice', { tools: [tool('f'), custom('f')] }, 'tools[1].name'],
    ['twice in a namespace', { tools: [namespace('n', tool('f'), tool('f'))] }, 'tools[0].tools[1].name'],
    ['of an unknown type', { tools: [hosted('robot')] }, 'tools[0].type'],
    ['without a name', { tools: [hosted('function')] }, 'tools[0].name'],
    ['hosted within a namespace', { tools: [namespace('n', hosted('mcp'))] }, 'tools[0].tools[0].type'],
  ])('%s is refused by name', (_, fields, param) => {
    expect(faultOf(fields)[0]).toBe(param);
  });
});

describe('the choice of a tool', () => {
  const tools = [tool('f'), custom('g'), namespace('n', tool('h'), tool('k'))];

  it.each<[string, unknown, object]>([
    ['required', 'required', { tool_choice: 'required' }],
    ['a function', { type: 'function', name: 'f' }, { tool_choice: { name: 'f' } }],
    ['a custom tool', { type: 'custom', name: 'g' }, { tool_choice: { name: 'g' } }],
    ['a tool of a namespace', { type: 'function', name: 'h', namespace: 'n' }, { tool_choice: { name: 'n__h' } }],
    ['a bare name of a namespace', { type: 'function', name: 'h' }, { tool_choice: { name: 'n__h' } }],
  ])('may be %s', (_, choice, expected) => {
    expect(read({ tools, tool_choice: choice }).canonical).toMatchObject(expected);
  });

  it('of allowed tools shows only those', () => {
    const allow = (...list: object[]): object => ({ tool_choice: { type: 'allowed_tools', mode: 'required', tools: list } });
    expect(namesOf(tools, allow({ type: 'function', name: 'f' }))).toEqual(['f']);
    expect(namesOf(tools, allow({ type: 'namespace', name: 'n' }, { type: 'web_search' }))).toEqual(['n__h', 'n__k']);
    expect(read({ tools, ...allow({ type: 'custom', name: 'g' }) }).canonical.tool_choice).toBe('required');
  });

  it.each<[string, object]>([
    ['required without tools', { tool_choice: 'required' }],
    ['required with nothing but left-out tools', { tools: [hosted('web_search')], tool_choice: 'required' }],
    ['an unknown name', { tools, tool_choice: { type: 'function', name: 'x' } }],
    ['a hosted tool', { tools, tool_choice: { type: 'web_search' } }],
    ['an unknown word', { tools, tool_choice: 'sometimes' }],
    ['unknown allowed tools', { tools, tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'x' }] } }],
    ['allowed tools that are left out', { tools, tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'tool_search' }] } }],
  ])('may not be %s', (_, fields) => {
    expect(faultOf(fields)[0]).toBe('tool_choice');
  });

  it('of one call at most reaches the engine', () => {
    expect(read({ tools, parallel_tool_calls: false })).toMatchObject({ canonical: { parallel_tool_calls: false }, oneCall: true });
    expect(read({ parallel_tool_calls: false }).oneCall).toBe(false);
  });
});
