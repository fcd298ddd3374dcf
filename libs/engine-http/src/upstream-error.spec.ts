import type { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { errorOfRefusal, parseRecord, readRefusal, roomLeft } from './upstream-error.js';

const refusalOf = (status: number, text: string, retryAfter?: string): ReturnType<typeof readRefusal> =>
  readRefusal({ status, body: parseRecord(text), text, retryAfter, sent: [] });

const error = (status: number, body: unknown, retryAfter?: string): ServiceError =>
  errorOfRefusal(refusalOf(status, typeof body === 'string' ? body : JSON.stringify(body), retryAfter));

const VLLM =
  "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4900 in the messages, 100 in the completion).";
const VLLM_NEW =
  "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your request has 100 input tokens (5000 > 4096 - 100).";
const SGLANG =
  "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5000 tokens: 4900 tokens from the input messages and 100 tokens for the completion.";

describe('errors of upstreams', () => {
  it.each([
    ['vLLM', { error: { message: VLLM, type: 'BadRequestError', param: null, code: 400 } }, { tokens: 4_900, context: 4_096 }],
    ['SGLang, flat', { object: 'error', message: SGLANG, type: 'BadRequestError', code: 400 }, { tokens: 4_900, context: 4_096 }],
    [
      'llama-server',
      {
        error: {
          code: 400,
          message: 'the request exceeds the available context size',
          type: 'exceed_context_size_error',
          n_prompt_tokens: 1_500,
          n_ctx: 1_024,
        },
      },
      { tokens: 1_500, context: 1_024 },
    ],
    ['words without figures', { error: { message: 'prompt is too long' } }, undefined],
    ['an error that is a string', { error: 'input is too long for the context window' }, undefined],
  ])('knows a prompt that is too long from %s', (_name, body, facts) => {
    const mapped = error(400, body);
    expect(mapped).toMatchObject({ code: 'context_length_exceeded', param: 'messages' });
    expect(mapped.facts).toEqual(facts);
  });

  it.each([
    [401, 'engine_error'],
    [403, 'engine_error'],
    [404, 'engine_error'],
    [302, 'engine_error'],
    [418, 'engine_error'],
    [413, 'request_too_large'],
    [429, 'overloaded'],
    [503, 'overloaded'],
    [529, 'overloaded'],
    [500, 'engine_error'],
    [502, 'engine_error'],
  ])('maps status %i to %s', (status, code) => {
    expect(error(status, { error: { message: 'x' } })).toMatchObject({ code });
  });

  it.each([1_970, 1_975, 1_980, 1_985, 470, 480, 490])('says nothing of a prompt that is quoted where the words are cut, %i', (blanks) => {
    const secret = 'my secret diary entry of today';
    const filler = blanks > 1_000 ? ' '.repeat(blanks) : '.'.repeat(blanks);
    const text = JSON.stringify({ error: { message: `no:${filler}${secret}${' and so on'.repeat(50)}` } });
    const { said } = readRefusal({ status: 400, body: parseRecord(text), text, sent: [secret] });
    expect(said).toMatch(/^(no:|$)/);
    expect(said).not.toMatch(/my|sec|diary/);
  });

  it.each([400, 404, 413, 422])('says what the upstream says of the request: %i', (status) => {
    const said = error(status, { error: { message: 'engine\u0000 says\r\n no to \u001b[31mthis\u2028one', param: 'temperature' } });
    expect(said.message).toMatch(/^The .*\. It says: engine says no to \[31mthis one$/);
    expect(error(status, { error: { message: 'x'.repeat(9_000) } }).message.length).toBeLessThan(700);
    expect(error(status, '<html>nginx</html>').message).not.toMatch(/says|html/);
    expect(error(status, { error: { message: 'bad header Bearer abc.def and sk-12345678' } }).message).toMatch(/Bearer \*\*\* and \*\*\*$/);
  });

  it('reads lists of faults, with the field of the first one', () => {
    const detail = [{ type: 'float_parsing', loc: ['body', 'temperature'], msg: 'Input should be a valid number', input: 'hot' }];
    expect(error(422, { detail })).toMatchObject({
      param: 'temperature',
      message: 'The engine of this deployment refuses temperature. It says: Input should be a valid number',
    });
  });

  it('passes no word of the upstream on where it does not speak of the request', () => {
    for (const status of [401, 403, 429, 500, 503]) {
      const mapped = error(status, { error: { message: 'secret sk-123 of tenant', param: 'secret', type: 'secret' } });
      expect(`${mapped.message} ${JSON.stringify(mapped.facts)} ${mapped.param}`).not.toMatch(/secret|sk-123/);
    }
  });

  it('names a field of ours that the upstream complains about', () => {
    expect(error(400, { error: { message: 'x', param: 'temperature' } })).toMatchObject({ code: 'invalid_value', param: 'temperature' });
    expect(error(422, { detail: 'x' }).param).toBeUndefined();
  });

  it('says when to try again, within 1 to 30 s', () => {
    expect(error(429, '', '7').retryAfterS).toBe(7);
    expect(error(429, '', '3600').retryAfterS).toBe(30);
    expect(error(503, '', '0').retryAfterS).toBe(1);
    expect(error(503, '', 'Wed, 21 Oct 2015 07:28:00 GMT').retryAfterS).toBe(1);
    expect(error(503, '', 'soon').retryAfterS).toBe(1);
    const inTenSeconds = error(503, '', new Date(Date.now() + 10_500).toUTCString()).retryAfterS;
    expect(inTenSeconds).toBeGreaterThan(1);
    expect(inTenSeconds).toBeLessThanOrEqual(11);
    expect(error(503, '').retryAfterS).toBe(1);
  });

  it.each(['', '<html>', '[]', 'null', '"x"', '{"error":[]}'])('survives the body %j', (body) => {
    expect(error(400, body)).toMatchObject({ code: 'invalid_value' });
  });

  it('finds the room that a limit of tokens should have kept to', () => {
    expect(roomLeft(refusalOf(400, JSON.stringify({ error: { message: VLLM_NEW } })))).toBe(3_996);
    expect(roomLeft(refusalOf(400, JSON.stringify({ error: { message: VLLM } })))).toBeNull();
    expect(roomLeft(refusalOf(400, JSON.stringify({ error: { message: 'bad temperature' } })))).toBeNull();
    expect(roomLeft(refusalOf(500, JSON.stringify({ error: { message: VLLM_NEW } })))).toBeNull();
  });

  it.each([
    [
      'SGLang',
      400,
      { object: 'error', message: "The input (5000 tokens) is longer than the model's context length (4096 tokens).", code: 400 },
    ],
    [
      'vLLM',
      400,
      { error: { message: "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens." } },
    ],
    [
      'llama-server',
      400,
      { error: { code: 400, message: 'request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it' } },
    ],
    [
      'the published contract',
      400,
      {
        error: {
          message: "This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens.",
          code: 'context_length_exceeded',
        },
      },
    ],
  ])('reads the figures out of the words of %s', (_name, status, body) => {
    expect(error(status, body)).toMatchObject({ code: 'context_length_exceeded', facts: { tokens: 5_000, context: 4_096 } });
  });

  it.each([
    [500, 'image input is not supported - hint: mmproj', { code: 'unsupported_content', param: 'messages' }],
    [400, 'x is not a multimodal model', { code: 'unsupported_content', param: 'messages' }],
    [
      400,
      '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
      { code: 'unsupported_parameter', param: 'tools' },
    ],
    [400, 'registry/model:1b does not support tools', { code: 'unsupported_parameter', param: 'tools' }],
    [400, '"model:1b" does not support thinking', { code: 'unsupported_parameter', param: 'reasoning_effort' }],
    [400, 'Assistant response prefill is incompatible with enable_thinking.', { code: 'unsupported_value', param: 'messages' }],
    [400, 'Failed to initialize samplers: failed to parse grammar', { code: 'invalid_value', param: 'structured_outputs' }],
    [400, "Field 'n': Value must be between 1 <= value <= 2, but got 5", { code: 'invalid_value', param: 'n' }],
    [400, "Field 'secret': no", { code: 'invalid_value', param: undefined }],
    [503, 'the model does not support tools', { code: 'overloaded' }],
  ])('knows what a %i is about by its words: %s', (status, message, expected) => {
    expect(error(status, { error: { code: status, message } })).toMatchObject(expected);
  });
});
