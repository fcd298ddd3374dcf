import OpenAI from 'openai';
import { expect } from 'vitest';
import type { RawAnswer } from './raw-answer.js';

/** How one contract writes a refusal. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
}

/** What the tables of the HTTP door must know of one public contract. A table names its expectations by `name`. */
export interface PublicContract {
  readonly name: 'chat';
  /** What follows the deployment in a path. */
  readonly suffix: string;
  /** A small valid request body. */
  body(model: string, content: string, fields?: object): string;
  /** Checks that an answer is this refusal, in this contract's shape and with the headers that its clients look at. */
  expectRefusal(answer: RawAnswer, refusal: Refusal): void;
  /** Hands an answer to the contract's official client, which must raise the class that belongs to it. */
  expectRaised(answer: RawAnswer, refusal: Refusal): Promise<void>;
}

const CLASS_OF: Readonly<Record<number, abstract new (...args: never[]) => Error>> = {
  400: OpenAI.BadRequestError,
  401: OpenAI.AuthenticationError,
  403: OpenAI.PermissionDeniedError,
  404: OpenAI.NotFoundError,
  409: OpenAI.ConflictError,
  429: OpenAI.RateLimitError,
};

/** Repeating cannot help: every status below 500 but these two says so, since some clients would repeat a 409. */
const isFinal = (status: number): boolean => status < 500 && status !== 408 && status !== 429;

const chatContract: PublicContract = {
  name: 'chat',
  suffix: '/v1/chat/completions',
  body: (model, content, fields = {}) => JSON.stringify({ model, messages: [{ role: 'user', content }], ...fields }),
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
};

/** Every contract behind the door: each table runs once for each. */
export const CONTRACTS: readonly PublicContract[] = [chatContract];

const typeOf = (status: number): string => {
  if (status === 429) return 'requests';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
};

const paramOf = (code: string): unknown =>
  ({ model_mismatch: 'model', missing_required_parameter: 'model', context_length_exceeded: 'messages' })[code] ?? null;
