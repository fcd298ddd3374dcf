import { describe, expect, it } from 'vitest';
import { messagesErrorBody } from './errors.js';
import { assistant, faultOf, instruction, PNG, read, text, TOOL, toolUse, user } from './request.samples.js';

const tool = (fields: object): object => ({ tools: [{ ...TOOL, ...fields }] });

describe('a wrong messages request', () => {
  it.each<[object, string, string]>([
    [{ max_tokens: undefined }, 'missing_required_parameter', 'max_tokens: Field required'],
    [{ messages: undefined }, 'missing_required_parameter', 'messages: Field required'],
    [{ model: undefined }, 'missing_required_parameter', 'model: Field required'],
    [{ model: 'gpt-4' }, 'model_mismatch', 'model: It names another deployment than the URL; send "deployment-1".'],
    [{ max_tokens: -1 }, 'invalid_value', 'max_tokens: Expected an integer of at least 0.'],
    [{ max_tokens: 1.5 }, 'invalid_type', 'max_tokens: Expected an integer of at least 0.'],
    [{ max_tokens: '5' }, 'invalid_type', 'max_tokens: Expected an integer of at least 0.'],
    [{ max_tokens: true }, 'invalid_type', 'max_tokens: Expected an integer of at least 0.'],
    [{ temperature: 2.1 }, 'invalid_value', 'temperature: Expected a number from 0 to 2.'],
    [{ temperature: '0.7' }, 'invalid_type', 'temperature: Expected a number from 0 to 2.'],
    [{ top_p: -0.1 }, 'invalid_value', 'top_p: Expected a number from 0 to 1.'],
    [{ top_k: -1 }, 'invalid_value', 'top_k: Expected an integer from 0 to 2147483647.'],
    [{ top_k: 2 ** 31 }, 'invalid_value', 'top_k: Expected an integer from 0 to 2147483647.'],
    [{ stream: 'yes' }, 'invalid_type', 'stream: Expected a boolean.'],
    [
      { stop_sequences: ['a', ' '] },
      'invalid_value',
      'stop_sequences.1: Expected a string of at most 1024 characters that is more than whitespace.',
    ],
    [{ stop_sequences: 'a' }, 'invalid_type', 'stop_sequences: Expected an array of at most 256 strings.'],
    [
      { stop_sequences: Array.from({ length: 257 }, () => 'a') },
      'array_above_max_length',
      'stop_sequences: Expected an array of at most 256 strings.',
    ],
    [{ metadata: { note: 'x'.repeat(20_000) } }, 'invalid_value', 'metadata: Must be at most 16384 characters of JSON.'],
    [{ model: { length: { toString: 1 } } }, 'missing_required_parameter', 'model: Expected the name of a deployment.'],
    [{ messages: [] }, 'empty_array', 'messages: Expected an array of 1 to 100000 entries.'],
    [{ messages: ['x'] }, 'invalid_type', 'messages.0: Expected an object.'],
    [{ messages: [{ content: 'x' }] }, 'missing_required_parameter', 'messages.0.role: Field required'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'invalid_value', 'messages.0.role: Expected user, assistant or system.'],
    [{ messages: [{ role: 'user' }] }, 'missing_required_parameter', 'messages.0.content: Field required'],
    [{ messages: [user('')] }, 'invalid_value', 'messages.0.content: The content of a user message must not be empty.'],
    [{ messages: [user([])] }, 'invalid_value', 'messages.0.content: The content of a user message must not be empty.'],
    [{ messages: [user(7)] }, 'invalid_type', 'messages.0.content: Expected a string or an array of blocks.'],
    [{ messages: [user([{ type: 'text' }])] }, 'missing_required_parameter', 'messages.0.content.0.text: Field required'],
    [{ messages: [user([{ text: 'x' }])] }, 'missing_required_parameter', 'messages.0.content.0.type: Field required'],
    [{ messages: [instruction('s')] }, 'invalid_value', 'messages: At least one user message is required.'],
    [{ messages: [assistant('s')] }, 'invalid_value', 'messages: At least one user message is required.'],
    [{ system: 7 }, 'invalid_type', 'system: Expected a string or an array of blocks.'],
    [{ system: [PNG] }, 'unsupported_content', 'system.0.type: No block of this type can stand in the system prompt.'],
    [{ container: 'c' }, 'unsupported_parameter', 'container: Not supported; send the request without it.'],
    [{ mcp_servers: [{ url: 'x' }] }, 'unsupported_parameter', 'mcp_servers: Not supported; send the request without it.'],
    [
      { context_management: { edits: [{ type: 'compact_20260112' }] } },
      'unsupported_value',
      'context_management.edits.0.type: Conversations are not compacted here.',
    ],
    [
      { thinking: { type: 'enabled', budget_tokens: 100 } },
      'invalid_value',
      'thinking.budget_tokens: Expected an integer of at least 1024.',
    ],
    [{ thinking: { type: 'enabled', budget_tokens: 2000 } }, 'invalid_value', 'thinking.budget_tokens: Expected less than max_tokens.'],
    [{ output_config: { format: { type: 'xml' } } }, 'unsupported_value', 'output_config.format.type: Expected json_schema.'],
    [{ output_config: { format: { type: 'json_schema' } } }, 'missing_required_parameter', 'output_config.format.schema: Field required'],
    [{ output_format: 'json' }, 'invalid_type', 'output_format: Expected an object.'],
  ])('%j is refused with %s: %s', (fields, code, message) => {
    const error = faultOf(fields);
    expect([error.code, error.message]).toEqual([code, message]);
    expect(message.startsWith(`${error.param}: `)).toBe(true);
  });

  const IN_CONTENT = 'No block of this type can stand in a user message.';
  it.each<[object, string, string]>([
    [{ type: 'thinking', thinking: 'x' }, 'type', IN_CONTENT],
    [toolUse('a'), 'type', IN_CONTENT],
    [{ type: 'constructor' }, 'type', IN_CONTENT],
    [{ type: 'server_tool_use', id: 'a' }, 'type', 'No tool runs here; this block cannot be understood.'],
    [{ type: 'web_search_tool_result', content: [] }, 'type', 'No tool runs here; this block cannot be understood.'],
    [{ type: 'container_upload' }, 'type', 'No tool runs here; this block cannot be understood.'],
    [{ type: 'image' }, 'source', 'Field required'],
    [{ type: 'image', source: { type: 'file', file_id: 'f' } }, 'source.type', 'Send the image as base64; no files are kept here.'],
    [
      { ...PNG, source: { ...PNG.source, media_type: 'image/svg+xml' } },
      'source.media_type',
      'Expected image/jpeg, image/png, image/gif or image/webp.',
    ],
    [{ ...PNG, source: { ...PNG.source, data: 'no base64!' } }, 'source.data', 'Not valid base64.'],
    [{ ...PNG, source: { ...PNG.source, data: '' } }, 'source.data', 'Not valid base64.'],
    [
      { type: 'document', source: { type: 'base64', data: 'x' } },
      'source.type',
      'Only documents of text or content blocks can be read here.',
    ],
    [{ type: 'document', source: { type: 'url', url: 'x' } }, 'source.type', 'Only documents of text or content blocks can be read here.'],
    [
      { type: 'search_result', title: 'T', source: 's', content: [PNG] },
      'content.0.type',
      'No block of this type can stand in a search result.',
    ],
  ])('block %j is refused at its %s: %s', (block, at, message) => {
    expect(faultOf({ messages: [user([text('x'), block])] }).message).toBe(`messages.0.content.1.${at}: ${message}`);
  });

  it.each(['https://169.254.169.254/x', 'http://images.example/x', 'file:///etc/passwd', 'https://images.example.evil/x', 'x'])(
    'image at %s fails, and its address is hidden',
    (url) => {
      const error = faultOf({ messages: [user([{ type: 'image', source: { type: 'url', url } }])] });
      expect(error.message).toMatch(/^messages\.0\.content\.0\.source\.url: The URL must be a data: URL/);
      expect(error.message.split('images.example,')[0]).not.toContain('169.254');
    },
  );

  it.each<[object, string, string]>([
    [{ tools: {} }, 'tools', 'Expected an array of at most 1000 objects.'],
    [{ tools: ['x'] }, 'tools.0', 'Expected an object.'],
    [tool({ type: 'web_search_20250305' }), 'tools.0.type', 'Only custom tools can be called.'],
    [tool({ type: 'bash_20250124' }), 'tools.0.type', 'Only custom tools can be called.'],
    [tool({ name: undefined }), 'tools.0.name', 'Field required'],
    [tool({ name: 'x'.repeat(300) }), 'tools.0.name', 'Expected 1 to 128 letters, digits, dots, dashes and underscores.'],
    [tool({ name: 'a b' }), 'tools.0.name', 'Expected 1 to 128 letters, digits, dots, dashes and underscores.'],
    [tool({ input_schema: undefined }), 'tools.0.input_schema', 'Field required'],
    [tool({ input_schema: { properties: {} } }), 'tools.0.input_schema.type', 'Field required'],
    [tool({ input_schema: { type: 'string' } }), 'tools.0.input_schema.type', 'Expected object.'],
    [
      tool({ input_schema: { type: 'object', x: 'y'.repeat(300_000) } }),
      'tools.0.input_schema',
      'Must be at most 262144 characters of JSON.',
    ],
    [tool({ strict: 'yes' }), 'tools.0.strict', 'Expected a boolean.'],
    [{ tools: [TOOL, TOOL] }, 'tools.1.name', 'An earlier tool has the same name.'],
    [
      { tools: Array.from({ length: 1_001 }, (_, i) => ({ ...TOOL, name: `t${i}` })) },
      'tools',
      'Expected an array of at most 1000 objects.',
    ],
    [{ tool_choice: { type: 'any' } }, 'tool_choice', 'Without tools that the model is shown, only auto and none make sense.'],
    [{ tools: [TOOL], tool_choice: { type: 'tool', name: 'other' } }, 'tool_choice.name', 'The model is shown no tool of this name.'],
    [{ tools: [TOOL], tool_choice: { type: 'tool' } }, 'tool_choice.name', 'Field required'],
    [{ tools: [TOOL], tool_choice: { type: 'required' } }, 'tool_choice.type', 'Expected auto, any, tool or none.'],
    [{ tools: [TOOL], tool_choice: 'auto' }, 'tool_choice', 'Expected an object.'],
  ])('tools %j are refused at %s: %s', (fields, param, message) => {
    const error = faultOf(fields);
    expect([error.param, error.message]).toEqual([param, `${param}: ${message}`]);
  });

  it('with a thread makes the SDK send everything', () => {
    expect(faultOf({ thread: { type: 'create' } })).toMatchObject({ param: 'thread', facts: { error_code: 'thread_unsupported_request' } });
  });

  const SCHEMA = { type: 'json_schema', schema: { type: 'object' } };
  it.each<[string, object, string]>([
    ['images', { messages: [user([text('x'), PNG])] }, 'messages.0.content.1: This model does not accept images.'],
    ['tools', { tools: [TOOL] }, 'tools: This model cannot call tools.'],
    [
      'tool_choice',
      { tools: [TOOL], tool_choice: { type: 'any' } },
      'tool_choice.type: This engine cannot force a call; use auto or none.',
    ],
    ['json_schema', { output_config: { format: SCHEMA } }, 'output_config.format: This engine cannot keep an answer to a JSON schema.'],
    ['json_schema', { output_format: SCHEMA }, 'output_format: This engine cannot keep an answer to a JSON schema.'],
    [
      'continue_final',
      { messages: [user('x'), assistant('y')] },
      'messages.1: This engine cannot continue an answer; end with a user message.',
    ],
    ['top_k', { top_k: 5 }, 'top_k: This engine does not know it.'],
  ])('that needs %s fails without it: %j', (word, fields, message) => {
    const all = ['images', 'tools', 'tool_choice', 'json_schema', 'continue_final', 'top_k'];
    expect(read(fields, all).maxTokens).toBe(100);
    expect(read(fields, []).maxTokens).toBe(100);
    const error = faultOf(fields, [...all.filter((one) => one !== word), 'seed']);
    expect(error.message).toBe(message);
    expect(JSON.parse(messagesErrorBody(error, 'req_1'))).toMatchObject({ error: { type: 'invalid_request_error', message } });
  });
});
