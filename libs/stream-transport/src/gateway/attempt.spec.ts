import { EMPTY_SUM, type Frame, type Incarnation, type StreamId } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { DEFAULT_STREAM_SETTINGS } from '../stream-settings.js';
import type { StreamRequest } from '../types.js';
import { Attempt } from './attempt.js';
import type { AttemptHost, AttemptOwner } from './attempt-host.js';
import { newReceiverCounters } from './receiver-counters.js';
import type { StartSent } from './start-publisher.js';
import { WorkerVitals } from './worker-peers.js';

const wk = 'w1' as Incarnation;
const usage = { prompt: 1, cached: 0, completion: 0 };
const end: Frame = { k: 'end', q: 0, fin: 'cancelled', usage, sum: EMPTY_SUM, tm: { queue: 0, prefill: 0, total: 0 } };

/** One attempt whose owner records its calls. */
class Bench {
  now = 10_000;
  readonly received: string[] = [];
  probes = 0;
  readonly attempt: Attempt;

  constructor(
    sent: StartSent,
    accepted: () => void = () => undefined,
    readonly vitals = new WorkerVitals(),
  ) {
    const owner: AttemptOwner = {
      accepted,
      relaxed: (places) => this.received.push(`relaxed ${places.join()}`),
      events: () => this.received.push('events'),
      concluded: (_, outcome) => this.received.push(outcome.kind === 'silent' ? `silent since ${outcome.since}` : outcome.kind),
      crashed: () => this.received.push('crashed'),
    };
    const place = { wk, at: 1, subject: 'frames.s.1' };
    this.attempt = new Attempt(this.#host(sent), owner, 's' as StreamId, place);
    this.attempt.send({ st: 's' } as unknown as StreamRequest, 60_000);
  }

  wait(ms: number): void {
    for (let passed = 0; passed < ms; passed += 50) {
      this.now += 50;
      this.attempt.tick(this.now, true);
    }
  }

  #host(sent: StartSent): AttemptHost {
    const nothing = (): void => undefined;
    return {
      gw: 'g' as Incarnation,
      settings: DEFAULT_STREAM_SETTINGS,
      counters: newReceiverCounters(),
      link: { since: -Infinity, provenSince: Infinity, prove: nothing, whenUp: () => Promise.resolve() },
      starts: { send: () => sent },
      now: () => this.now,
      moves: () => false,
      vitals: () => this.vitals,
      ...{ enter: nothing, join: nothing, part: nothing, leave: nothing, finish: nothing, control: nothing },
      probe: () => (this.probes += 1),
    };
  }
}

describe('an attempt at a worker', () => {
  it('allows time for parts, in full again after a stall', async () => {
    const bench = new Bench({ kind: 'uploading', done: Promise.resolve(true) });
    await new Promise(setImmediate);
    bench.wait(3_000);
    bench.attempt.restartTimers(bench.now);
    bench.wait(5_900);
    expect(bench.received).toEqual([]);
    bench.wait(200 + 500);
    expect(bench.received).toEqual(['silent since this_start']);
  });

  it('is absent when parts found no subscriber', async () => {
    const bench = new Bench({ kind: 'uploading', done: Promise.resolve(true) });
    bench.attempt.probeFailed(bench.now);
    expect([bench.received, bench.probes]).toEqual([[], 0]);
    await new Promise(setImmediate);
    expect(bench.probes).toBe(1);
    bench.attempt.probeFailed(bench.now);
    expect(bench.received).toEqual(['absent']);
  });

  it('is late when a worker that got no part answers', async () => {
    const bench = new Bench({ kind: 'uploading', done: Promise.resolve(true) });
    await new Promise(setImmediate);
    bench.wait(6_100);
    expect([bench.received, bench.probes]).toEqual([[], 2]);
    bench.vitals.seen(bench.now);
    bench.wait(50);
    expect(bench.received).toEqual(['late']);
  });

  it('does not count behind an earlier unanswered start', () => {
    const vitals = new WorkerVitals();
    const [first, second] = [new Bench({ kind: 'sent' }, undefined, vitals), new Bench({ kind: 'sent' }, undefined, vitals)];
    for (const bench of [first, second]) bench.wait(1_050);
    const third = new Bench({ kind: 'sent' }, undefined, vitals);
    third.wait(1_050);
    expect([first.received, second.received, third.received]).toEqual([
      ['silent since this_start'],
      ['silent since earlier_start'],
      ['silent since earlier_start'],
    ]);
    vitals.seen(0);
    const fourth = new Bench({ kind: 'sent' }, undefined, vitals);
    fourth.wait(1_050);
    expect(fourth.received).toEqual(['silent since this_start']);
    expect(vitals.unanswered).toBe(0);
  });

  it('is late, not lost, while its worker sends other frames', () => {
    const bench = new Bench({ kind: 'sent' });
    bench.wait(700);
    bench.vitals.seen(bench.now);
    bench.wait(350);
    expect(bench.received).toEqual(['late']);
  });

  it('is late when the worker answers the probe', () => {
    const bench = new Bench({ kind: 'sent' });
    bench.wait(300);
    bench.vitals.seen(bench.now);
    bench.wait(900);
    expect([bench.received, bench.probes]).toEqual([[], 1]);
    bench.vitals.seen(bench.now);
    bench.wait(50);
    expect(bench.received).toEqual(['late']);
  });

  it('counts only if the earlier start was answered', () => {
    const vitals = new WorkerVitals();
    const first = new Bench({ kind: 'sent' }, undefined, vitals);
    const [second, third] = [new Bench({ kind: 'sent' }, undefined, vitals), new Bench({ kind: 'sent' }, undefined, vitals)];
    first.wait(50);
    first.attempt.frame({ k: 'acc', wk, rev: 1, fp: 'f', lease_ms: 10_000 }, first.now);
    for (const bench of [second, third]) bench.wait(1_150);
    expect([second.received, third.received]).toEqual([['silent since this_start'], ['silent since earlier_start']]);
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
    expect(bench.received).toEqual([]);
  });
});
