import Anthropic from '@anthropic-ai/sdk';
import { expect } from 'vitest';
import type { PublicContract, Refusal } from './contract-form.js';
import { isFinal } from './final-status.js';

/** What the contract calls a status. */
const TYPE_OF: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};
const typeOf = (status: number): string => TYPE_OF[status] ?? 'invalid_request_error';

/** Codes that have a status of their own here. */
const STATUS_OF: Readonly<Record<string, number>> = { overloaded: 529, deployment_unavailable: 529, engine_error: 500, worker_lost: 500 };
const statusOf = ({ status, code }: Refusal): number => STATUS_OF[code] ?? status;

const CLASS_OF: Readonly<Record<number, abstract new (...args: never[]) => Error>> = {
  400: Anthropic.BadRequestError,
  401: Anthropic.AuthenticationError,
  403: Anthropic.PermissionDeniedError,
  404: Anthropic.NotFoundError,
  409: Anthropic.ConflictError,
  429: Anthropic.RateLimitError,
};

/** The messages contract, as the official SDK and raw sockets see it. */
export const messagesContract: PublicContract = {
  name: 'messages',
  suffix: '/v1/messages',
  body: (model, content, fields = {}) => JSON.stringify({ model, max_tokens: 100_000, messages: [{ role: 'user', content }], ...fields }),
  statusOf,
  expectRefusal({ status, headers, body }, refusal) {
    const answered = JSON.parse(body) as { error: { message: string; details: { error_code: string } } };
    expect({ status, code: answered.error?.details?.error_code }).toEqual({ status: statusOf(refusal), code: refusal.code });
    expect(answered).toEqual({
      type: 'error',
      error: { type: typeOf(status), message: expect.any(String) as string, details: { error_code: refusal.code } },
      request_id: headers.get('request-id'),
    });
    expect(answered.error.message).toMatch(/^(?:prompt is too long: |[a-z][a-z0-9_.]*: )?[A-Z0-9]/);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('request-id')).toMatch(/^req_[A-Za-z0-9]{22}$/);
    expect(headers.get('x-request-id')).toBe(headers.get('request-id'));
    expect(headers.get('x-should-retry')).toBe(isFinal(status) ? 'false' : null);
    expect(headers.get('retry-after') ?? '').toMatch([429, 503, 529].includes(status) ? /^([1-9]|[12]\d|30)$/ : /^$/);
    expect(headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
  },
  async expectRaised({ status, headers, body }, { code }) {
    let calls = 0;
    const client = new Anthropic({
      baseURL: 'http://gw.test',
      apiKey: 'x',
      maxRetries: isFinal(status) ? 2 : 0,
      fetch: () => {
        calls += 1;
        return Promise.resolve(new Response(body, { status, headers }));
      },
    });
    const request = client.messages.create({ model: 'x', max_tokens: 1, messages: [], stream: true });
    const error: unknown = await request.then(
      () => null,
      (raised: unknown) => raised,
    );
    expect(error).toBeInstanceOf(CLASS_OF[status] ?? (status >= 500 ? Anthropic.InternalServerError : Anthropic.APIError));
    expect(error).toMatchObject({ status, type: typeOf(status), errorCode: code, requestID: headers.get('request-id') });
    expect(calls).toBe(1);
  },
  textOf: (stream) =>
    [...stream.matchAll(/^data: (\{"type":"content_block_delta"[^\n]*\})$/gm)]
      .map((match) => (JSON.parse(match[1]!) as { delta: { text?: string } }).delta.text ?? '')
      .join(''),
  streamEnd: /"stop_reason":"end_turn"[^\n]*\n\nevent: message_stop\ndata: \{"type":"message_stop"\}\n\n$/,
  documentEnd: /"stop_reason":"end_turn"/,
  anyEnd: /message_stop|message_delta|"stop_reason":"|DONE/,
  failureEnd: (code) =>
    new RegExp(
      `event: error\\ndata: \\{"type":"error","error":\\{[^\\n]*"details":\\{"error_code":"${code}"\\}\\},[^\\n]*\\}\\n\\n\\r\\n$`,
    ),
  async readStream({ url, apiKey, model }) {
    const client = new Anthropic({ baseURL: url, apiKey, maxRetries: 0 });
    let text = '';
    try {
      const stream = await client.messages.create({ model, max_tokens: 100, messages: [{ role: 'user', content: 'x' }], stream: true });
      for await (const event of stream)
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text;
    } catch (raised) {
      return { text, raised };
    }
    return { text, raised: null };
  },
  expectRaisedInStream(raised, code) {
    expect(raised).toBeInstanceOf(Anthropic.APIError);
    expect(raised).toMatchObject({ type: 'api_error', errorCode: code });
  },
};
