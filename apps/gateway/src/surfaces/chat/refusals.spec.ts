import type { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { read, user } from './request.samples.js';

const refusal = (fields: object): { code: string; param: string | undefined; message: string } => {
  try {
    read(fields);
  } catch (error) {
    const { code, param, message } = error as ServiceError;
    return { code, param, message };
  }
  throw new Error('The request was accepted.');
};
describe('a chat request error', () => {
  it.each<[string, object, string, string | undefined]>([
    ['without messages', { messages: undefined }, 'messages', 'missing_required_parameter'],
    ['with null for messages', { messages: null }, 'messages', 'missing_required_parameter'],
    ['with no messages', { messages: [] }, 'messages', 'empty_array'],
    ['with text for messages', { messages: 'hi' }, 'messages', 'invalid_type'],
    ['with 2,049 messages', { messages: Array.from({ length: 2049 }, () => user) }, 'messages', 'array_above_max_length'],
    ['with text for a message', { messages: ['hi'] }, 'messages[0]', 'invalid_type'],
    ['with an unknown role', { messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role', 'invalid_value'],
    ['with an inherited role', { messages: [{ role: 'toString', content: 'x' }] }, 'messages[0].role', 'invalid_value'],
    ['without a role', { messages: [{ content: 'x' }] }, 'messages[0].role', 'missing_required_parameter'],
    ['with a user who says null', { messages: [{ role: 'user', content: null }] }, 'messages[0].content', 'invalid_type'],
    ['with a user who says nothing', { messages: [user, { role: 'user' }] }, 'messages[1].content', 'missing_required_parameter'],
    ['with a number for content', { messages: [{ role: 'user', content: 5 }] }, 'messages[0].content', 'invalid_type'],
    ['with no parts', { messages: [{ role: 'user', content: [] }] }, 'messages[0].content', 'empty_array'],
    [
      'with an image',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'x' },
              { type: 'image_url', image_url: { url: 'http://x/y.png' } },
            ],
          },
        ],
      },
      'messages[0].content[1].image_url',
      'unsupported_content',
    ],
    [
      'with audio',
      { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
      'messages[0].content[0].input_audio',
      'unsupported_content',
    ],
    [
      'with a file',
      { messages: [{ role: 'user', content: [{ type: 'file', file: {} }] }] },
      'messages[0].content[0].file',
      'unsupported_content',
    ],
    [
      'with an unknown part',
      { messages: [{ role: 'user', content: [{ type: 'smell' }] }] },
      'messages[0].content[0].type',
      'unsupported_content',
    ],
    [
      'with a part without text',
      { messages: [{ role: 'user', content: [{ type: 'text' }] }] },
      'messages[0].content[0].text',
      'invalid_type',
    ],
    ['with an assistant who says null', { messages: [user, { role: 'assistant', content: null }] }, 'messages[1].content', 'invalid_type'],
    [
      'with an assistant who says nothing',
      { messages: [user, { role: 'assistant' }] },
      'messages[1].content',
      'missing_required_parameter',
    ],
    [
      'with an assistant of audio',
      { messages: [user, { role: 'assistant', audio: { id: 'x' } }] },
      'messages[1].audio',
      'unsupported_content',
    ],
    [
      'with a tool message without call',
      { messages: [user, { role: 'tool', content: 'x' }] },
      'messages[1].tool_call_id',
      'missing_required_parameter',
    ],
    [
      'with a tool message without content',
      { messages: [user, { role: 'tool', tool_call_id: 'a' }] },
      'messages[1].content',
      'missing_required_parameter',
    ],
    ['with a name of 257 characters', { messages: [{ ...user, name: 'x'.repeat(257) }] }, 'messages[0].name', 'invalid_value'],
    [
      'with a function message',
      { messages: [user, { role: 'function', name: 'f', content: 'x' }] },
      'messages[1].role',
      'unsupported_content',
    ],
    ['with temperature 2.1', { temperature: 2.1 }, 'temperature', 'invalid_value'],
    ['with temperature -0.1', { temperature: -0.1 }, 'temperature', undefined],
    ['with temperature as text', { temperature: '0.5' }, 'temperature', 'invalid_type'],
    ['with top_p 1.5', { top_p: 1.5 }, 'top_p', 'invalid_value'],
    ['with max_tokens 0', { max_tokens: 0 }, 'max_tokens', 'integer_below_min_value'],
    ['with max_tokens -1', { max_tokens: -1 }, 'max_tokens', 'integer_below_min_value'],
    ['with max_tokens 1.5', { max_tokens: 1.5 }, 'max_tokens', undefined],
    ['with max_tokens as text', { max_tokens: '5' }, 'max_tokens', 'invalid_type'],
    ['with max_tokens true', { max_tokens: true }, 'max_tokens', 'invalid_type'],
    ['with max_tokens 2^53', { max_tokens: 2 ** 53 }, 'max_tokens', undefined],
    ['with max_tokens 10^20', { max_tokens: 1e20 }, 'max_tokens', undefined],
    ['with max_completion_tokens 0', { max_completion_tokens: 0 }, 'max_completion_tokens', 'integer_below_min_value'],
    ['with five stops', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop', undefined],
    ['with an empty stop', { stop: [''] }, 'stop', undefined],
    ['with an empty stop text', { stop: '' }, 'stop', undefined],
    ['with a number to stop at', { stop: [1] }, 'stop', undefined],
    ['with a stop of 10 kB', { stop: 'x'.repeat(10_240) }, 'stop', undefined],
    ['with n 0', { n: 0 }, 'n', 'integer_below_min_value'],
    ['with n 9', { n: 9 }, 'n', 'invalid_value'],
    ['with n 10^9', { n: 1e9 }, 'n', 'invalid_value'],
    ['with seed 0.5', { seed: 0.5 }, 'seed', undefined],
    ['with stream_options without stream', { stream_options: { include_usage: true } }, 'stream_options', 'invalid_value'],
    ['with stream as text', { stream: 'true' }, 'stream', 'invalid_type'],
    ['with stream 1', { stream: 1 }, 'stream', 'invalid_type'],
    [
      'with an absurd logit_bias',
      { logit_bias: Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [i, 1])) },
      'logit_bias',
      'invalid_value',
    ],
    ['with a logit_bias of words', { logit_bias: { word: 1 } }, 'logit_bias', undefined],
    ['with repetition_penalty 0', { repetition_penalty: 0 }, 'repetition_penalty', undefined],
    ['with tool_choice required and no tools', { tool_choice: 'required' }, 'tool_choice', 'invalid_value'],
    ['with a tool_choice and no tools', { tool_choice: { type: 'function', function: { name: 'f' } } }, 'tool_choice', 'invalid_value'],
    ['with a custom tool', { tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'tools[0].type', 'invalid_value'],
    ['with a tool without a name', { tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name', 'missing_required_parameter'],
    ['with functions', { functions: [{ name: 'f' }] }, 'functions', 'unsupported_parameter'],
    [
      'with a schema without a name',
      { response_format: { type: 'json_schema', json_schema: {} } },
      'response_format.json_schema.name',
      'missing_required_parameter',
    ],
    ['with XML', { response_format: { type: 'xml' } }, 'response_format.type', 'invalid_value'],
    ['with logprobs as a number', { logprobs: 5 }, 'logprobs', 'invalid_type'],
    ['with top_logprobs alone', { top_logprobs: 3 }, 'top_logprobs', 'invalid_value'],
    ['with 21 top_logprobs', { logprobs: true, top_logprobs: 21 }, 'top_logprobs', 'invalid_value'],
    ['with audio to generate', { modalities: ['text', 'audio'] }, 'modalities', 'unsupported_value'],
    ['with a template of its own', { chat_template: 'x' }, 'chat_template', 'unsupported_parameter'],
    ['with tokens of a prompt', { input_ids: [1] }, 'input_ids', 'unsupported_parameter'],
    ['with an adapter', { lora: [{ id: 0, scale: 1 }] }, 'lora', 'unsupported_parameter'],
    ['with beams', { use_beam_search: true }, 'use_beam_search', 'unsupported_parameter'],
    ['with a search of the web', { web_search_options: {} }, 'web_search_options', 'unsupported_parameter'],
    ['with template arguments that are no object', { chat_template_kwargs: 'x' }, 'chat_template_kwargs', 'invalid_type'],
    ['with a template argument that is a list', { chat_template_kwargs: { a: [1] } }, 'chat_template_kwargs', 'invalid_type'],
    ['with messages as a template argument', { chat_template_kwargs: { messages: 'x' } }, 'chat_template_kwargs', 'unsupported_value'],
    ['with thinking as text', { chat_template_kwargs: { enable_thinking: 'no' } }, 'chat_template_kwargs.enable_thinking', 'invalid_type'],
    ['with a stop token below 0', { stop_token_ids: [-1] }, 'stop_token_ids', undefined],
    ['with stop tokens as text', { stop_token_ids: '1' }, 'stop_token_ids', undefined],
    ['with ignore_eos and no limit', { ignore_eos: true }, 'ignore_eos', 'invalid_value'],
    ['with more min_tokens than max_tokens', { min_tokens: 6, max_tokens: 5 }, 'min_tokens', 'invalid_value'],
    ['with min_tokens below 0', { min_tokens: -1 }, 'min_tokens', 'integer_below_min_value'],
    ['with min_tokens that no engine counts', { min_tokens: 2 ** 31 }, 'min_tokens', 'invalid_value'],
    ['with an effort that is none', { reasoning_effort: 'huge' }, 'reasoning_effort', 'invalid_value'],
    ['with a user to go on with', { continue_final_message: true }, 'continue_final_message', 'invalid_value'],
    [
      'with a turn to begin and one to go on with',
      { messages: [user, { role: 'assistant', content: 'x' }], continue_final_message: true, add_generation_prompt: true },
      'continue_final_message',
      'invalid_value',
    ],
    [
      'with a call to go on with',
      {
        messages: [user, { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] }],
        continue_final_message: true,
      },
      'continue_final_message',
      'invalid_value',
    ],
    ['with no turn at all', { add_generation_prompt: false }, 'add_generation_prompt', 'unsupported_value'],
    ['with a usage of its own', { stream: true, stream_options: { include_usage: 1 } }, 'stream_options.include_usage', 'invalid_type'],
    ['without a model', { model: undefined }, 'model', 'missing_required_parameter'],
    ['with an empty model', { model: '' }, 'model', 'missing_required_parameter'],
    ['with a number for a model', { model: 5 }, 'model', 'missing_required_parameter'],
    ['with a model that has a strange length', { model: { length: { toString: 1 } } }, 'model', 'missing_required_parameter'],
    ['with messages of a strange length', { messages: { length: { valueOf: 1, toString: 2 } } }, 'messages', 'invalid_type'],
    ['with another deployment as the model', { model: 'deployment-2' }, 'model', 'model_mismatch'],
    ['with a megabyte of user', { user: 'x'.repeat(1e6) }, 'user', 'invalid_value'],
    ['with a megabyte of metadata', { metadata: { a: 'x'.repeat(1e6) } }, 'metadata', 'invalid_value'],
    [
      'with seventeen pairs of metadata',
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v'])) },
      'metadata',
      'invalid_value',
    ],
  ])('%s', (_, fields, param, code) => {
    const error = refusal(fields);
    expect(error.param).toBe(param);
    if (code === undefined) expect(error.code).toMatch(/^(invalid_|empty_|array_|integer_)/);
    else expect(error.code).toBe(code);
    expect(error.message).not.toMatch(/undefined|NaN|\[object/);
  });
});
