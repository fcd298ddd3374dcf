import OpenAI from 'openai';
import { expect } from 'vitest';
import type { PublicContract } from './contract-form.js';
import { isFinal } from './final-status.js';

const CLASS_OF: Readonly<Record<number, abstract new (...args: never[]) => Error>> = {
  400: OpenAI.BadRequestError,
  401: OpenAI.AuthenticationError,
  403: OpenAI.PermissionDeniedError,
  404: OpenAI.NotFoundError,
  409: OpenAI.ConflictError,
  429: OpenAI.RateLimitError,
};

/** The chat-completions contract, as the official SDK and raw sockets see it. */
export const chatContract: PublicContract = {
  name: 'chat',
  suffix: '/v1/chat/completions',
  body: (model, content, fields = {}) => JSON.stringify({ model, messages: [{ role: 'user', content }], ...fields }),
  statusOf: ({ status }) => status,
  expectRefusal({ status, headers, body }, refusal) {
    const answered = JSON.parse(body) as { error: { message: string; code: string } };
    expect({ status, code: answered.error?.code }).toEqual(refusal);
    expect(answered).toEqual({
      error: { message: expect.any(String), type: typeOf(status), param: paramOf(refusal.code), code: refusal.code },
    });
    expect(answered.error.message).toMatch(/^[A-Z'].*\.$/);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('x-request-id')).toMatch(/^req_[A-Za-z0-9]{22}$/);
    expect(headers.get('x-should-retry')).toBe(isFinal(status) ? 'false' : null);
    expect(headers.get('retry-after') ?? '').toMatch(status === 429 || status === 503 ? /^([1-9]|[12]\d|30)$/ : /^$/);
    expect(headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
  },
  async expectRaised({ status, headers, body }, { code }) {
    let calls = 0;
    const client = new OpenAI({
      baseURL: 'http://gw.test/v1',
      apiKey: 'x',
      maxRetries: isFinal(status) ? 2 : 0,
      fetch: () => {
        calls += 1;
        return Promise.resolve(new Response(body, { status, headers }));
      },
    });
    const request = client.chat.completions.create({ model: 'x', messages: [], stream: true });
    const error: unknown = await request.then(
      () => null,
      (raised: unknown) => raised,
    );
    const expected = CLASS_OF[status] ?? (status >= 500 ? OpenAI.InternalServerError : OpenAI.APIError);
    expect((error as Error).constructor).toBe(expected);
    expect(error).toMatchObject({ status, code, requestID: headers.get('x-request-id') });
    expect(calls).toBe(1);
  },
  textOf: (stream) =>
    [...stream.matchAll(/^data: (\{[^\n]*\})$/gm)]
      .map((match) => (JSON.parse(match[1]!) as { choices?: { delta: { content?: string } }[] }).choices?.[0]?.delta.content ?? '')
      .join(''),
  streamEnd: /"finish_reason":"stop"[^\n]*\n\ndata: \[DONE\]\n\n$/,
  documentEnd: /"finish_reason":"stop"/,
  anyEnd: /DONE|"finish_reason":"/,
  failureEnd: (code) => new RegExp(`data: \\{"error":\\{[^\\n]*"code":"${code}"\\}\\}\\n\\n\\r\\n$`),
  async readStream({ url, apiKey, model }) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
    let text = '';
    try {
      const stream = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'x' }], stream: true });
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    } catch (raised) {
      return { text, raised };
    }
    return { text, raised: null };
  },
  expectRaisedInStream(raised, code) {
    expect(raised).toBeInstanceOf(OpenAI.APIError);
    expect(raised).toMatchObject({ code });
  },
};

const typeOf = (status: number): string => {
  if (status === 429) return 'requests';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
};

const paramOf = (code: string): unknown =>
  ({ model_mismatch: 'model', missing_required_parameter: 'model', context_length_exceeded: 'messages' })[code] ?? null;
