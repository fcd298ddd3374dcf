import { getEventListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { type BodySink, UpstreamExchange } from './upstream-exchange.js';

/** One exchange, called by hand as undici would call it. */
class Bench {
  readonly abort = new AbortController();
  readonly taken: string[] = [];
  /** Why undici was asked to abort; null = it was not. */
  givenUp: Error | null = null;
  readonly exchange: UpstreamExchange;
  readonly #controller: Dispatcher.DispatchController;

  constructor({ takes = true, bytes }: { takes?: boolean; bytes?: BodySink['bytes'] } = {}) {
    const sink: BodySink = {
      begins: () => takes,
      bytes: bytes ?? ((piece) => this.taken.push(Buffer.from(piece).toString()) === 0),
    };
    this.exchange = new UpstreamExchange({
      sink,
      signal: this.abort.signal,
      pace: { take: () => true },
      gate: { hold: () => ({ readOn: () => undefined, release: () => undefined }) },
    });
    this.#controller = {
      aborted: false,
      reason: null,
      paused: false,
      rawHeaders: null,
      rawTrailers: null,
      abort: (reason) => {
        this.givenUp ??= reason;
        // As undici does it: at once.
        this.exchange.onResponseError(this.#controller, reason);
      },
      pause: () => undefined,
      resume: () => undefined,
    };
    // Tests look at the failure when they get to it.
    this.exchange.answer.catch(() => undefined);
  }

  connect(): this {
    this.exchange.onRequestStart(this.#controller);
    return this;
  }

  begin(status = 200, headers: Record<string, string | string[]> = {}): this {
    this.exchange.onResponseStart(this.#controller, status, headers);
    return this;
  }

  write(piece: string | Buffer): this {
    this.exchange.onResponseData(this.#controller, Buffer.from(piece));
    return this;
  }

  break(): void {
    this.exchange.onResponseError(this.#controller, new Error('reset'));
  }

  get listening(): number {
    return getEventListeners(this.abort.signal, 'abort').length;
  }
}

describe('an exchange with an upstream', () => {
  it('keeps no more than 1,024 pieces of a text, however small they are', async () => {
    const bench = new Bench({ takes: false }).connect().begin(400);
    for (let i = 0; i < 1_024; i += 1) bench.write('x');
    expect((await bench.exchange.answer).text).toHaveLength(1_024);
    expect(bench.givenUp).not.toBeNull();
  });

  it('hands its sink every piece while it arrives, in order', async () => {
    const bench = new Bench().connect().begin(200, { 'content-type': 'text/event-stream', 'x-twice': ['a', 'b'] });
    bench.write('one');
    expect(bench.taken).toEqual(['one']);
    bench.write('two').exchange.onResponseEnd();
    const { status, text, header } = await bench.exchange.answer;
    expect([status, text, bench.taken]).toEqual([200, '', ['one', 'two']]);
    expect([header('content-type'), header('x-twice'), header('x-none')]).toEqual(['text/event-stream', 'a', undefined]);
    expect([bench.listening, bench.givenUp]).toEqual([0, null]);
  });

  it('keeps a body that its sink does not want as text, characters that pieces cut included', async () => {
    const bench = new Bench({ takes: false }).connect().begin(400);
    const piece = Buffer.from('é');
    const first = piece.subarray(0, 1);
    bench.exchange.onResponseData({} as Dispatcher.DispatchController, first);
    // undici writes the next bytes where these were.
    first.fill(0x2e);
    bench.write(Buffer.from([0xa9])).exchange.onResponseEnd();
    expect((await bench.exchange.answer).text).toBe('é');
    expect(bench.taken).toEqual([]);
  });

  it('keeps 64 KiB of text, and leaves what is longer without waiting for its end', async () => {
    const bench = new Bench({ takes: false }).connect().begin(502);
    bench.write('x'.repeat(60_000)).write('y'.repeat(60_000));
    const { status, text } = await bench.exchange.answer;
    expect([status, text.length, text.endsWith('y')]).toEqual([502, 64 * 1024, true]);
    expect([bench.givenUp, bench.listening]).toEqual([expect.any(Error), 0]);
  });

  it('takes no interim status for the answer', async () => {
    const bench = new Bench().connect().begin(103).begin(200);
    bench.exchange.onResponseEnd();
    expect((await bench.exchange.answer).status).toBe(200);
  });

  it('fails with what its sink threw, and closes the connection', async () => {
    const thrown = new Error('not JSON');
    const bench = new Bench({
      bytes: () => {
        throw thrown;
      },
    });
    bench.connect().begin().write('x');
    await expect(bench.exchange.answer).rejects.toBe(thrown);
    expect([bench.givenUp, bench.listening]).toEqual([expect.any(Error), 0]);
  });

  it.each<[string, (bench: Bench) => unknown]>([
    ['before it has a connection', () => undefined],
    ['before the headers', (bench) => bench.connect()],
    ['behind the headers', (bench) => bench.connect().begin()],
    ['within the body', (bench) => bench.connect().begin().write('x')],
  ])('fails with the fault of a connection that breaks %s', async (_name, until) => {
    const bench = new Bench();
    until(bench);
    bench.break();
    await expect(bench.exchange.answer).rejects.toThrow('reset');
    expect(bench.listening).toBe(0);
  });

  it.each<[string, (bench: Bench) => unknown]>([
    ['before the headers', (bench) => bench.connect()],
    ['behind the headers', (bench) => bench.connect().begin()],
    ['within the body', (bench) => bench.connect().begin().write('x')],
  ])('is given up %s with the reason of its signal', async (_name, until) => {
    const bench = new Bench();
    until(bench);
    const reason = new Error('the caller left');
    bench.abort.abort(reason);
    await expect(bench.exchange.answer).rejects.toBe(reason);
    expect([bench.givenUp, bench.listening]).toEqual([reason, 0]);
  });

  it('is given up while it waits for a connection, and lets go of one that comes too late', async () => {
    const bench = new Bench();
    bench.abort.abort('gone');
    await expect(bench.exchange.answer).rejects.toBe('gone');
    expect(bench.givenUp).toBeNull();
    bench.connect();
    expect(bench.givenUp).toBeInstanceOf(Error);
  });

  it('is given up before it begins where its caller had left already', async () => {
    const exchange = new UpstreamExchange({
      sink: { begins: () => true, bytes: () => false },
      signal: AbortSignal.abort('gone'),
      pace: { take: () => true },
      gate: { hold: () => ({ readOn: () => undefined, release: () => undefined }) },
    });
    await expect(exchange.answer).rejects.toBe('gone');
  });

  it('is over once: neither an abort nor a broken connection changes an answer', async () => {
    const bench = new Bench().connect().begin(204);
    bench.exchange.onResponseEnd();
    bench.break();
    bench.abort.abort(new Error('too late'));
    expect((await bench.exchange.answer).status).toBe(204);
    expect(bench.givenUp).toBeNull();
  });
});
