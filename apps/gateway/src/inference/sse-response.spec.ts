import { EventEmitter } from 'node:events';
import { type EndFrame, ServiceError, type StreamEvent } from '@slipway/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RequestContext } from '../http/request-context.js';
import { type MemoryReservation, MemoryShares } from '../memory/memory-shares.js';
import { InferenceLine } from '../observability/inference-line.js';
import { chatErrors } from '../surfaces/chat/errors.js';
import { ChatWriter } from '../surfaces/chat/events.js';
import { type CutReason, RELAY_TIMES } from './relayed-response.js';
import type { ResponseWriter } from '../surfaces/surface.js';
import { type SseOptions, SseResponse, TurnEnd, UNSENT_BYTES_MAX, UNSENT_BYTES_SPARED } from './sse-response.js';

/** A response whose client reads as slowly as the test wants. */
class ScriptedResponse extends EventEmitter {
  readonly socket = { bytesWritten: 0, writableLength: 0 };
  readonly writes: string[] = [];
  status = 0;
  headers: Record<string, unknown> = {};
  ended: string | null = null;
  destroyed = false;
  headersSent = false;
  writableNeedDrain = false;
  shouldKeepAlive = true;
  #unsent: (() => void)[] = [];

  get writableLength(): number {
    return this.socket.writableLength;
  }

  writeHead(status: number, headers: Record<string, unknown>): this {
    Object.assign(this, { status, headers, headersSent: true });
    return this;
  }

  write(text: string, sent: () => void = () => undefined): boolean {
    this.writes.push(text);
    this.socket.bytesWritten += text.length;
    if (this.writableNeedDrain) {
      this.socket.writableLength += text.length;
      this.#unsent.push(sent);
    } else sent();
    return !this.writableNeedDrain;
  }

  end(text: unknown): void {
    this.ended = String(text);
  }

  destroy(): void {
    this.destroyed = true;
  }

  /** The client reads on. */
  drain(): void {
    this.writableNeedDrain = false;
    this.socket.writableLength = 0;
    for (const sent of this.#unsent.splice(0)) sent();
    this.emit('drain');
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const text = (x: string): StreamEvent => ({ k: 'text', x, n: 1 });
const contents = (frames: string): string[] =>
  [...frames.matchAll(/"delta":\{"content":("(?:[^"\\]|\\.)*")/g)].map((match) => JSON.parse(match[1]!) as string);
const end = {
  k: 'end',
  q: 2,
  fin: 'done',
  usage: { prompt: 1, cached: 0, completion: 1 },
  sum: 0,
  tm: { queue: 0, prefill: 0, total: 0 },
} as EndFrame;

describe('a streamed answer', () => {
  let response: ScriptedResponse;
  let answer: SseResponse;
  let cuts: CutReason[];
  let memory: MemoryShares;
  let hold: MemoryReservation;

  beforeEach(() => {
    response = new ScriptedResponse();
    cuts = [];
    memory = new MemoryShares({ bytes: 100 * 1024 * 1024, shareBytes: 50 * 1024 * 1024 });
    hold = memory.open(1);
    const context = {
      id: 'req_1',
      request: { complete: true },
      response,
      format: chatErrors,
      line: new InferenceLine('req_1'),
    } as unknown as RequestContext;
    const writer = new ChatWriter({ id: 'chatcmpl-1', model: 'm', created: 1, usage: 'none', choices: 1, logprobs: false, oneCall: false });
    answer = new SseResponse({
      context,
      writer,
      turnEnd: new TurnEnd(),
      times: RELAY_TIMES,
      cut: (reason) => cuts.push(reason),
      hold,
    });
  });

  it('sends its status with the first output', () => {
    answer.events([{ k: 'start', prompt: 3 }]);
    expect(response.headersSent).toBe(false);
    answer.events([text('Hi')]);
    expect(response).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no', 'x-request-id': 'req_1' },
    });
    expect(contents(response.writes.join(''))).toEqual(['Hi']);
  });

  it('that fails early has the status of its error', () => {
    answer.fail(new ServiceError('overloaded', 'Full.', { retryAfterS: 3 }));
    expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '3', 'content-type': 'application/json' } });
    expect(response.destroyed).toBe(false);
  });

  it('writes its first output at once', () => {
    answer.events([text('a')]);
    expect(response.writes.map(contents)).toEqual([['a']]);
  });

  it('writes later events of one turn together', async () => {
    for (const x of ['a', 'b', 'c']) answer.events([text(x)]);
    expect(response.writes).toHaveLength(1);
    await turn();
    expect(response.writes.map(contents)).toEqual([['a'], ['bc']]);
    answer.events([text('d'), text('e')]);
    await turn();
    expect(response.writes.map(contents)).toEqual([['a'], ['bc'], ['de']]);
  });

  it('merges events into one write for slow clients', async () => {
    answer.events([text('a')]);
    response.writableNeedDrain = true;
    for (const x of ['b', 'c', 'd']) answer.events([text(x)]);
    await turn();
    expect(response.writes).toHaveLength(1);
    response.drain();
    expect(response.writes.map(contents)).toEqual([['a'], ['bcd']]);
    answer.events([text('e')]);
    await turn();
    expect(response.writes).toHaveLength(3);
  });

  it('ends with all queued events and the end mark', () => {
    answer.events([text('a')]);
    response.writableNeedDrain = true;
    answer.events([text('b'), { k: 'fin', r: 'stop' }]);
    answer.end(end);
    expect(contents(response.ended!)).toEqual(['b']);
    expect(response.ended).toMatch(/"finish_reason":"stop"\}\]\}\n\ndata: \[DONE\]\n\n$/);
  });

  it('that fails late sends its text, then one error', () => {
    answer.events([text('a')]);
    response.writableNeedDrain = true;
    answer.events([text('b')]);
    answer.fail(new ServiceError('worker_lost', 'Lost.'));
    expect(response.destroyed).toBe(false);
    response.drain();
    expect(response.destroyed).toBe(true);
    expect(response.ended).toBeNull();
    const sent = response.writes.join('');
    expect(contents(sent)).toEqual(['a', 'b']);
    expect(sent).toMatch(/data: \{"error":\{[^\n]*"worker_lost"\}\}\n\n$/);
    expect(sent).not.toMatch(/DONE|"finish_reason":"/);
  });

  it('without finish reason sends its text before the error', () => {
    answer.events([text('a')]);
    response.writableNeedDrain = true;
    answer.events([text('b')]);
    expect(() => answer.end(end)).toThrow(ServiceError);
    answer.fail(new ServiceError('engine_error', 'It stopped.'));
    response.drain();
    expect(contents(response.writes.join(''))).toEqual(['a', 'b']);
    expect(response.writes.at(-1)).toContain('"engine_error"');
    expect(response).toMatchObject({ destroyed: true, ended: null });
  });

  it('sends its finish reason only when complete', () => {
    answer.events([text('a'), { k: 'fin', r: 'stop' }]);
    answer.fail(new ServiceError('worker_lost', 'Lost.'));
    expect(contents(response.writes.join(''))).toEqual(['a']);
    expect(response.writes.join('')).not.toMatch(/DONE|"finish_reason":"/);
  });

  describe('whose client does not read', () => {
    const step = 'x'.repeat(64 * 1024);
    const stepBytes = 2 * step.length;
    const free = (account: number): number => {
      const probe = memory.open(account);
      let bytes = 0;
      while (probe.take(stepBytes) === 'taken') bytes += stepBytes;
      probe.release();
      return bytes;
    };
    /** Sends events until the response is cut. @returns the unsent bytes at that time. */
    const say = (most = 2 * UNSENT_BYTES_MAX): number => {
      let waits = 0;
      for (; cuts.length === 0 && waits < most; waits += stepBytes) answer.events([text(step)]);
      return waits;
    };
    beforeEach(() => {
      answer.events([text('a')]);
      response.writableNeedDrain = true;
    });

    it('is cut above the largest event of an engine', () => {
      const waited = say();
      expect(cuts).toEqual(['client_too_slow']);
      expect(waited).toBeGreaterThan(2 * 8 * 1024 * 1024);
      expect(waited).toBeLessThanOrEqual(UNSENT_BYTES_MAX + stepBytes);
    });

    it('is cut above 64 KiB without account memory', () => {
      const others = memory.open(1);
      while (others.take(1024) === 'taken') continue;
      response.socket.writableLength = UNSENT_BYTES_SPARED;
      answer.tick(performance.now());
      expect(cuts).toEqual([]);
      expect(say()).toBe(stepBytes);
      expect(cuts).toEqual(['client_too_slow']);
    });

    it('reserves memory for unsent bytes only', () => {
      const others = memory.open(1);
      const rest = 50 * 1024 * 1024 - 1_000;
      others.take(rest);
      const room = (bytes: number): boolean => {
        const probe = memory.open(1);
        const isTaken = probe.take(bytes) === 'taken';
        probe.release();
        return isTaken;
      };
      response.socket.writableLength = 600;
      answer.tick(performance.now());
      expect([room(400), room(401)]).toEqual([true, false]);
      response.socket.writableLength = 100;
      answer.tick(performance.now());
      expect([room(900), room(901)]).toEqual([true, false]);
    });

    it('releases its memory once the client has read', () => {
      const before = free(1);
      say(8 * 1024 * 1024);
      expect(before - free(1)).toBeGreaterThan(6 * 1024 * 1024);
      response.drain();
      expect(free(1)).toBe(before);
      expect(contents(response.writes.join('')).join('')).toHaveLength(1 + 4 * 1024 * 1024);
      expect(cuts).toEqual([]);
    });
  });

  it('whose writer keeps its text counts that against the account', () => {
    const kept = { bytes: 0 };
    const writer = {
      frames: () => 'x',
      requestBytes: 1_000,
      get keptBytes() {
        return kept.bytes;
      },
    } as unknown as ResponseWriter;
    const { options } = answer as unknown as { options: SseOptions };
    answer = new SseResponse({ ...options, writer });
    const room = (): number => {
      const probe = memory.open(1);
      let bytes = 0;
      while (probe.take(1_000) === 'taken') bytes += 1_000;
      probe.release();
      return bytes;
    };
    const before = room();
    kept.bytes = 10 * 1024 * 1024;
    answer.events([text('a')]);
    expect(before - room()).toBeGreaterThanOrEqual(10 * 1024 * 1024);
    kept.bytes = 51 * 1024 * 1024;
    expect(() => answer.events([text('a')])).toThrow(/memory of this account for whole responses is used up/);
    hold.release();
    expect(room()).toBe(before);
  });

  it('sends comments after 15 s, and may still fail', () => {
    const now = performance.now();
    answer.tick(now + 14_000);
    expect(response.headersSent).toBe(false);
    answer.tick(now + 15_100);
    expect(response.status).toBe(200);
    expect(response.writes).toEqual([': waiting\n\n']);
    answer.tick(now + 16_000);
    expect(response.writes).toHaveLength(1);
    answer.tick(now + 31_000);
    expect(response.writes).toEqual([': waiting\n\n', ': waiting\n\n']);
    answer.fail(new ServiceError('timeout', 'Too slow.'));
    expect(response.writes.at(-1)).toContain('"timeout"');
    expect(response.destroyed).toBe(true);
  });

  it('is cut after a minute without reads', () => {
    const now = performance.now();
    answer.events([text('a')]);
    response.writableNeedDrain = true;
    response.socket.writableLength = 100;
    answer.tick(now + 1_000);
    response.socket.bytesWritten += 50;
    answer.tick(now + 60_500);
    expect(cuts).toEqual([]);
    answer.events([{ k: 'fin', r: 'stop' }]);
    answer.end(end);
    answer.tick(now + 120_000);
    expect(cuts).toEqual([]);
    answer.tick(now + 121_000);
    expect(cuts).toEqual(['client_stalled']);
  });
});
