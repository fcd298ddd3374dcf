import { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { responsesErrors } from './errors.js';
import { FULL, PNG, read, tool } from './request.samples.js';

/** The error of a request: its code and field. */
function faultOf(fields: object, caps: readonly string[] = []): { code: unknown; param: unknown; message: string } {
  try {
    read(fields, caps);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { error: body } = JSON.parse(responsesErrors.body(error, 'req_1')) as { error: { code: string; param: string; message: string } };
    return { code: body.code, param: body.param, message: body.message };
  }
  throw new Error(`accepted: ${JSON.stringify(fields)}`);
}

describe('a request of the responses contract', () => {
  it.each<[string, object, string, string]>([
    ['no input', { input: undefined }, 'input', 'missing_required_parameter'],
    ['an empty list of items', { input: [] }, 'input', 'empty_array'],
    ['a number for input', { input: 5 }, 'input', 'invalid_type'],
    ['a number for an item', { input: [1] }, 'input[0]', 'invalid_type'],
    ['a role that is unknown', { input: [{ role: 'robot', content: 'x' }] }, 'input[0].role', 'invalid_value'],
    ['an item that is unknown', { input: [{ type: 'telepathy' }] }, 'input[0].type', 'invalid_value'],
    ['messages in place of input', { input: undefined, messages: [] }, 'messages', 'unsupported_parameter'],
    ['functions', { functions: [] }, 'functions', 'unsupported_parameter'],
    ['several answers', { n: 1 }, 'n', 'unsupported_parameter'],
    ['response_format', { response_format: { type: 'text' } }, 'response_format', 'unsupported_parameter'],
    ['max_tokens', { max_tokens: 5 }, 'max_tokens', 'unsupported_parameter'],
    ['an array of instructions', { instructions: [] }, 'instructions', 'invalid_type'],
    ['no output tokens', { max_output_tokens: 0 }, 'max_output_tokens', 'integer_below_min_value'],
    ['half a token', { max_output_tokens: 1.5 }, 'max_output_tokens', 'invalid_type'],
    ['too many alternatives', { top_logprobs: 21 }, 'top_logprobs', 'invalid_value'],
    ['stream options without a stream', { stream_options: {} }, 'stream_options', 'invalid_value'],
    ['an earlier answer', { previous_response_id: 'resp_1' }, 'previous_response_id', 'previous_response_not_found'],
    ['a conversation', { conversation: 'conv_1' }, 'conversation', 'unsupported_parameter'],
    ['work in the background', { background: true }, 'background', 'unsupported_parameter'],
    ['a prompt template', { prompt: { id: 'p' } }, 'prompt', 'unsupported_parameter'],
    [
      'a schema without a name',
      { text: { format: { type: 'json_schema', schema: {} } } },
      'text.format.name',
      'missing_required_parameter',
    ],
    [
      'a form without a schema',
      { text: { format: { type: 'json_schema', name: 'x' } } },
      'text.format.schema',
      'missing_required_parameter',
    ],
    ['two forms', { text: { format: { type: 'json_object' } }, structured_outputs: { regex: 'a' } }, 'structured_outputs', 'invalid_value'],
    [
      'a file',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] },
      'input[0].content[0].type',
      'unsupported_content',
    ],
    ['an image by file', imageOf({ file_id: 'f' }), 'input[0].content[0].file_id', 'unsupported_content'],
    ['an image without address', imageOf({}), 'input[0].content[0].image_url', 'missing_required_parameter'],
    ['an image of any host', imageOf({ image_url: 'https://evil.example/a.png' }), 'input[0].content[0].image_url', 'unsupported_content'],
    ['another model', { model: 'gpt-5' }, 'model', 'model_mismatch'],
  ])('with %s names the field', (_, fields, param, code) => {
    expect(faultOf(fields)).toMatchObject({ param, code });
  });

  it.each([
    'mcp_call',
    'web_search_call',
    'computer_call_output',
    'compaction',
    'local_shell_call',
    'apply_patch_call',
    'tool_search_output',
  ])('with an item of a hosted tool is refused: %s', (type) => {
    const words = `'${type}' comes from a tool that this server does not run.`;
    expect(faultOf({ input: [{ type, id: 'x' }] })).toEqual({ param: 'input[0].type', code: 'unsupported_content', message: words });
  });

  it('says how this contract calls a field', () => {
    expect(faultOf({ messages: [] }).message).toBe("'messages' is a field of another contract; this contract calls it 'input'.");
    expect(faultOf({ background: true }).message).toBe("'background': answers are not kept here; use 'stream'.");
    const { message } = faultOf({ previous_response_id: 'resp_1' });
    expect(message).toContain("Previous response with id 'resp_1' not found: answers are not kept here.");
  });

  it('ignores what has no effect, and forwards nothing', () => {
    const ignored = {
      ...{ store: true, truncation: 'auto', metadata: { a: 'b' }, user: 'u', safety_identifier: 's', service_tier: 'auto' },
      ...{ prompt_cache_retention: '24h', prompt_cache_options: {}, max_tool_calls: 3, client_metadata: { a: 1 }, moderation: {} },
      ...{
        context_management: [{ type: 'compaction' }],
        text: { verbosity: 'low' },
        include: ['file_search_call.results'],
        background: false,
      },
      ...{
        reasoning: { summary: 'auto', generate_summary: 'x' },
        some_future_field: 1,
        tools: [],
        tool_choice: 'auto',
        instructions: null,
      },
    };
    expect(read(ignored).canonical).toEqual(read().canonical);
    expect(read().canonical).toEqual({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
      sampling: {},
      stop: [],
      fills_context: true,
    });
  });

  it('hands sampling to the engine as chat does', () => {
    const sampling = { temperature: 0.5, top_k: 5, min_p: 0.1, seed: 3, frequency_penalty: 1 };
    const { canonical } = read({
      ...sampling,
      stop: 'x',
      max_output_tokens: 1e9,
      reasoning: { effort: 'low' },
      chat_template_kwargs: { a: 1 },
    });
    expect(canonical).toMatchObject({ sampling, stop: ['x'], max_tokens: 4096, reasoning: { effort: 'low' }, template_args: { a: 1 } });
    expect(canonical).not.toHaveProperty('fills_context');
  });

  it('requests log probabilities by either field', () => {
    expect(read({ include: ['message.output_text.logprobs'], top_logprobs: 2 })).toMatchObject({
      canonical: { logprobs: 2 },
      logprobs: true,
    });
    expect(read({ include: ['message.output_text.logprobs'] }).canonical.logprobs).toBe(0);
    expect(read({ top_logprobs: 0 }).canonical).not.toHaveProperty('logprobs');
  });

  it('takes a schema without its dialect', () => {
    const schema = { type: 'object', properties: {} };
    const format = { type: 'json_schema', name: 'x', schema: { $schema: 'd', ...schema }, strict: true };
    expect(read({ text: { format } }).canonical.output).toEqual({ kind: 'json_schema', name: 'x', schema, strict: true });
    expect(read({ text: {} }).canonical).not.toHaveProperty('output');
    expect(read({ structured_outputs: { regex: 'a+' } }).canonical.output).toEqual({ kind: 'regex', pattern: 'a+' });
  });

  it.each<[string, object, string[], { param: string; code: string }]>([
    ['tools', { tools: [tool('f')] }, ['images'], { param: 'tools', code: 'unsupported_parameter' }],
    ['a forced tool', { tools: [tool('f')], tool_choice: 'required' }, ['tools'], { param: 'tool_choice', code: 'unsupported_value' }],
    [
      'a schema',
      { text: { format: { type: 'json_schema', name: 'x', schema: {} } } },
      ['tools'],
      { param: 'text.format', code: 'unsupported_parameter' },
    ],
    [
      'a regular expression',
      { structured_outputs: { regex: 'a' } },
      ['tools'],
      { param: 'structured_outputs', code: 'unsupported_parameter' },
    ],
    ['an image', imageOf({ image_url: PNG }), ['tools'], { param: 'input[0].content[0].image_url', code: 'unsupported_content' }],
    ['log probabilities', { top_logprobs: 1 }, ['tools'], { param: 'include', code: 'unsupported_parameter' }],
    [
      'an earlier call',
      {
        input: [
          { type: 'function_call', call_id: 'a', name: 'f' },
          { type: 'function_call_output', call_id: 'a', output: '' },
        ],
      },
      ['images'],
      { param: 'input[0].type', code: 'unsupported_content' },
    ],
  ])('needs the engine’s capability for %s', (_, fields, caps, expected) => {
    expect(faultOf(fields, caps)).toMatchObject(expected);
  });

  it('names its own fields in an engine’s errors', () => {
    expect(read().names).toMatchObject({ messages: 'input', max_tokens: 'max_output_tokens', response_format: 'text.format' });
  });

  it('repeats short instructions and tools, not long ones', () => {
    const echoOf = (fields: object): Record<string, unknown> => JSON.parse(`{${read(fields).echo}}`) as Record<string, unknown>;
    const { tools, instructions, metadata, temperature } = echoOf({ ...FULL, model: 'demo' });
    expect([instructions, metadata, temperature]).toEqual(['i', { a: 'b' }, 1]);
    expect((tools as { type: string }[]).map(({ type }) => type)).toEqual(['function', 'custom', 'namespace']);
    expect(echoOf({ instructions: 'x'.repeat(20_000) })).toMatchObject({ instructions: null, tools: [], metadata: {} });
  });

  it('brings reasoning back where it is not stored', () => {
    const encrypts = (fields: object): boolean => read(fields).encrypts;
    expect([{}, { store: true }, { store: false }, { include: ['reasoning.encrypted_content'] }].map(encrypts)).toEqual([
      ...[false, false, true, true],
    ]);
  });
});

function imageOf(fields: object): object {
  return { input: [{ role: 'user', content: [{ type: 'input_image', ...fields }] }] };
}
