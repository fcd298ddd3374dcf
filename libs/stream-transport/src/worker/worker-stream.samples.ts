import type { Frame, StreamEvent, StreamId } from '@slipway/contracts';
import { DEFAULT_STREAM_SETTINGS } from '../stream-settings.js';
import type { Generation, GenerationResult, StreamWriter } from '../types.js';
import { newSenderCounters } from './load-reporter.js';
import { type AckEntry, StreamTable } from './stream-table.js';
import { WorkerStream, type WorkerStreamHost } from './worker-stream.js';

export const text = (x: string): StreamEvent => ({ k: 'text', x, n: 1 });
export const result: GenerationResult = { usage: { prompt: 1, cached: 0, completion: 2 }, times: { queue: 0, prefill: 1, total: 2 } };

/** Admitted streams whose generations the test ends by hand, and everything that they send. */
export class Bench {
  now = 10_000;
  readonly sent: { readonly stream: WorkerStream; readonly frame: Frame; readonly check: boolean }[] = [];
  readonly counters = newSenderCounters();
  readonly table = new StreamTable(DEFAULT_STREAM_SETTINGS, this.counters, 10_000);
  settled = 0;
  limit = 1_000;

  open(
    st = 's',
    at = 1,
    { gw = 'g', deadlineMs = 600_000, whole = false } = {},
  ): {
    stream: WorkerStream;
    writer: StreamWriter;
    signal: AbortSignal;
    finish: (value?: GenerationResult | 'busy') => Promise<void>;
    fail: (err: unknown) => Promise<void>;
  } {
    let resolve!: (value: GenerationResult | 'busy') => void;
    let reject!: (err: unknown) => void;
    let signal!: AbortSignal;
    const generation: Generation = {
      run: (_, given) => {
        signal = given;
        return new Promise((done, failed) => ([resolve, reject] = [done, failed]));
      },
    };
    const stream = new WorkerStream({
      host: this.#host(),
      address: { gw, st: st as StreamId, at },
      reply: `frames.${st}.${at}`,
      noInterest: `ni.${st}.${at}`,
      interest: this.table.interestOf(gw, this.now),
      deadlineMs,
      batch: true,
      whole,
    });
    this.table.add(stream, this.now);
    const run = stream.run(generation);
    const after = async (act: () => void): Promise<void> => {
      act();
      await run;
    };
    return {
      stream,
      writer: stream,
      signal,
      finish: async (value = result) => await after(() => resolve(value)),
      fail: async (err) => await after(() => reject(err)),
    };
  }

  #host(): WorkerStreamHost {
    return {
      settings: DEFAULT_STREAM_SETTINGS,
      now: () => this.now,
      frameLimit: () => this.limit,
      publish: (from, json, check) => this.sent.push({ stream: from, frame: JSON.parse(json) as Frame, check }),
      settled: () => (this.settled += 1),
      failedUnexpectedly: () => undefined,
    };
  }

  frames(kind: Frame['k']): Frame[] {
    return this.sent.map(({ frame }) => frame).filter(({ k }) => k === kind);
  }

  wait(ms: number, ticked: { tick(now: number, judge: boolean): void } = this.table): void {
    for (let passed = 0; passed < ms; passed += 50) {
      this.now += 50;
      ticked.tick(this.now, true);
    }
  }

  ack(entries: [string, number, number, 0 | 1][]): unknown {
    return this.table.acknowledge({ k: 'ack', v: entries as AckEntry[] }, this.now);
  }
}
