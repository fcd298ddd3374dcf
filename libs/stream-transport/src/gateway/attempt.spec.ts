import { EMPTY_SUM, type Frame, type Incarnation } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { DEFAULT_STREAM_SETTINGS } from '../stream-settings.js';
import type { StreamRequest } from '../types.js';
import { Attempt } from './attempt.js';
import type { AttemptHost, AttemptOwner } from './attempt-host.js';
import { newReceiverCounters } from './receiver-counters.js';
import type { StartSent } from './start-publisher.js';

const wk = 'w1' as Incarnation;
const usage = { prompt: 1, cached: 0, completion: 0 };
const end: Frame = { k: 'end', q: 0, fin: 'cancelled', usage, sum: EMPTY_SUM, tm: { queue: 0, prefill: 0, total: 0 } };

/** One attempt whose owner writes down what it is told. */
class Bench {
  now = 10_000;
  readonly told: string[] = [];
  readonly attempt: Attempt;

  constructor(sent: StartSent, accepted: () => void = () => undefined) {
    const owner: AttemptOwner = {
      accepted,
      events: () => this.told.push('events'),
      concluded: (_, outcome) => this.told.push(outcome.kind),
      crashed: () => this.told.push('crashed'),
    };
    const place = { wk, at: 1, subject: 'frames.s.1' };
    this.attempt = new Attempt(this.host(sent), owner, { st: 's' } as unknown as StreamRequest, place);
    this.attempt.send(60_000);
  }

  wait(ms: number): void {
    for (let passed = 0; passed < ms; passed += 50) {
      this.now += 50;
      this.attempt.tick(this.now, true);
    }
  }

  private host(sent: StartSent): AttemptHost {
    const nothing = (): void => undefined;
    return {
      gw: 'g' as Incarnation,
      settings: DEFAULT_STREAM_SETTINGS,
      counters: newReceiverCounters(),
      link: { since: -Infinity, provenSince: Infinity, prove: nothing, whenUp: () => Promise.resolve() },
      starts: { send: () => sent },
      now: () => this.now,
      ...{ enter: nothing, join: nothing, part: nothing, leave: nothing, finish: nothing, control: nothing, probe: nothing },
    };
  }
}

describe('an attempt at a worker', () => {
  it('gives a start in parts the time to be put together, again in full after the own loop stood still', async () => {
    const bench = new Bench({ kind: 'uploading', done: Promise.resolve(true) });
    await new Promise(setImmediate);
    bench.wait(3_000);
    bench.attempt.restartTimers(bench.now);
    bench.wait(5_900);
    expect(bench.told).toEqual([]);
    bench.wait(200);
    expect(bench.told).toEqual(['silent']);
  });

  it.each<[string, Frame, unknown]>([
    ['the first events', { k: 'd', q: 0, e: [{ k: 'text', x: 'a', n: 1 }] }, null],
    ['the end', end, usage],
    ['an error', { k: 'err', q: 0, code: 'engine_error', msg: '', retry: 'no' }, null],
  ])('that is cancelled by whoever hears of its accept gives out nothing more, also where %s said so', async (_, frame, counted) => {
    let cancelled: Promise<unknown> = Promise.resolve('not cancelled');
    const bench: Bench = new Bench({ kind: 'sent' }, () => {
      cancelled = bench.attempt.cancel('client');
    });
    bench.attempt.frame(frame, bench.now);
    bench.wait(1_100);
    expect(await cancelled).toEqual(counted);
    expect(bench.told).toEqual([]);
  });
});
