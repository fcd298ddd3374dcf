import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { currentFreshness, subscribeFreshness } from '../api/freshness.js';
import { session } from '../session/session.js';
import { begin, endingOf, type Exchange, runExchange } from './exchange.js';

const body = { model: 'deployment-3' };
const CHUNK = 'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n';

beforeEach(() => {
  const expires_at = new Date(Date.now() + 600_000).toISOString();
  session.begin({ access_token: 'token', expires_at, user: 1, account: { id: 1, slug: 'acme', role: 'owner' } });
});
afterEach(() => {
  vi.unstubAllGlobals();
  session.forget(false);
});

/** What the console sends, piece by piece; `end` closes or breaks the connection. */
function answer(pieces: readonly string[], end: 'close' | 'break' | 'hang', init: ResponseInit = {}): void {
  vi.stubGlobal('fetch', (_path: string, { signal }: { signal: AbortSignal }) => {
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        if (end === 'close') controller.close();
        signal.addEventListener('abort', () => controller.error(signal.reason));
      },
      pull(controller) {
        if (end === 'break') controller.error(new TypeError('network error'));
      },
    });
    return Promise.resolve(new Response(stream, { headers: { 'request-id': 'req_1' }, ...init }));
  });
}

async function run(signal = new AbortController().signal, watch: (exchange: Exchange) => void = () => undefined): Promise<Exchange> {
  let last: Exchange | undefined;
  let at = 0;
  const show = (exchange: Exchange): void => watch((last = exchange));
  await runExchange({ deployment: 'deployment-3', contract: 'chat', body, signal, show, now: () => (at += 100) });
  if (!last) throw new Error('Nothing was shown.');
  return last;
}

describe('an exchange', () => {
  it('ends with the answer, its times and the bytes as they came', async () => {
    answer([CHUNK, CHUNK, 'data: [DONE]\n\n'], 'close');
    const { status, answer: read, times, requestId, raw } = await run();
    expect([status, read.text, requestId]).toEqual(['done', 'HiHi', 'req_1']);
    expect(times).toEqual({ sent: 100, first: 200, last: 300 });
    expect(raw).toBe(`HTTP 200\n\n${CHUNK}${CHUNK}data: [DONE]\n\n`);
  });

  it.each(['close', 'break'] as const)('that ends without the contract’s end has failed, and what came stays: %s', async (end) => {
    answer([CHUNK], end);
    expect(await run()).toMatchObject({
      status: 'failed',
      answer: { text: 'Hi' },
      failure: expect.stringMatching(/ended before/) as string,
    });
  });

  it.each(['close', 'break'] as const)('shows the reason that a broken stream gave: %s', async (end) => {
    answer([CHUNK, 'data: {"error":{"message":"The worker was lost."}}\n\n'], end);
    expect(await run()).toMatchObject({ status: 'failed', answer: { text: 'Hi' }, failure: 'The worker was lost.' });
  });

  it.each([
    ['the console', { code: 'not_permitted', message: 'No.' }],
    ['the chat contract', { code: 'deployment_stopped', type: 'invalid_request_error', message: 'No.', param: null }],
    ['the chat contract without a code', { code: null, type: 'invalid_request_error', message: 'No.' }],
    ['the messages contract', { type: 'invalid_request_error', message: 'No.' }],
  ])('that is refused in the words of %s says them', async (_, error) => {
    answer([JSON.stringify({ error })], 'close', { status: 409 });
    expect(await run()).toMatchObject({ status: 'refused', failure: 'No.', requestId: 'req_1' });
  });

  it('that is stopped keeps what came and is no failure', async () => {
    answer([CHUNK], 'hang');
    const stop = new AbortController();
    const stopped = await run(stop.signal, ({ answer: { pieces } }) => pieces > 0 && stop.abort());
    expect(stopped).toMatchObject({ status: 'stopped', answer: { text: 'Hi' }, failure: null });
  });

  it('that waits long for its first token leaves the console live', async () => {
    vi.useFakeTimers();
    const asked = vi.fn(() => new Promise(() => undefined));
    vi.stubGlobal('fetch', asked);
    const unwatch = subscribeFreshness(() => undefined);
    const { signal } = new AbortController();
    void runExchange({ deployment: 'deployment-3', contract: 'chat', body, signal, show: () => undefined });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveBeenCalledOnce();
    expect(currentFreshness().state).toBe('live');
    unwatch();
    vi.useRealTimers();
  });

  it('without a network says so', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    expect(await run()).toMatchObject({ status: 'failed', failure: expect.stringMatching(/cannot be reached.*retry/) as string });
  });
});

it('screen readers announce how an answer ended', () => {
  const exchange = { ...begin({ contract: 'chat', body }), raw: 'HTTP 200' };
  expect(endingOf(exchange)).toBeNull();
  expect(endingOf({ ...exchange, status: 'done' })).toBe('Answer complete');
  expect(endingOf({ ...exchange, status: 'stopped' })).toBe('Stopped');
  expect(endingOf({ ...exchange, status: 'refused', raw: '', failure: 'No.' })).toBe('Request refused. No.');
  expect(endingOf({ ...exchange, status: 'failed', failure: 'The worker was lost.' })).toBe('Answer cut off. The worker was lost.');
  expect(endingOf({ ...exchange, status: 'failed', raw: '', failure: 'Offline.' })).toBe('No answer. Offline.');
});
