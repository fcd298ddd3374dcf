import type { ControlMessage, Frame, Incarnation, StreamId } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { LateFrames } from './late-frames.js';
import { newReceiverCounters } from './receiver-counters.js';

const NEVER = Number.NEGATIVE_INFINITY;
const attempt = { subject: 'f.s.1', st: 's' as StreamId, at: 1, next: 3, wk: 'w' as Incarnation };

const data: Frame = { k: 'd', q: 3, e: [{ k: 'text', x: 'a', n: 1 }] };

function create(): { late: LateFrames; finished: unknown[]; controls: ControlMessage[]; counters: ReturnType<typeof newReceiverCounters> } {
  const finished: unknown[] = [];
  const controls: ControlMessage[] = [];
  const counters = newReceiverCounters();
  const options = {
    counters,
    keepMs: 20_000,
    repeatMs: 300,
    finished: (wk: Incarnation, { st, at, next }: { st: StreamId; at: number; next: number }) => finished.push([wk, st, at, next]),
    control: (_: Incarnation, message: ControlMessage) => controls.push(message),
  };
  return { late: new LateFrames(options, 0), finished, controls, counters };
}

describe('a late frame of an ended attempt', () => {
  it('gets a cancel, at most every 300 ms', () => {
    const { late, controls, counters } = create();
    late.expect(attempt, NEVER);
    for (const now of [1_000, 1_100, 1_299, 1_300, 1_500]) late.arrived(attempt.subject, data, now);
    expect(controls).toEqual([
      { k: 'cancel', st: 's', at: 1, why: 'over' },
      { k: 'cancel', st: 's', at: 1, why: 'over' },
    ]);
    expect(counters.lateFrames).toBe(5);
  });

  it('gets no cancel right after another cancel', () => {
    const { late, controls } = create();
    late.expect(attempt, 900);
    late.arrived(attempt.subject, data, 1_000);
    expect(controls).toEqual([]);
  });

  it('is acknowledged each time it repeats an end or error', () => {
    const { late, finished, controls } = create();
    late.expect(attempt, NEVER);
    const end: Frame = {
      k: 'end',
      q: 3,
      fin: 'done',
      usage: { prompt: 0, cached: 0, completion: 0 },
      sum: 1,
      tm: { queue: 0, prefill: 0, total: 0 },
    };
    late.arrived(attempt.subject, end, 1_000);
    late.arrived(attempt.subject, end, 1_001);
    late.arrived(attempt.subject, { k: 'err', q: 3, code: 'internal', msg: '', retry: 'no' }, 1_002);
    expect(finished).toEqual([
      ['w', 's', 1, 3],
      ['w', 's', 1, 3],
      ['w', 's', 1, 3],
    ]);
    expect(controls).toEqual([]);
  });

  it('is only counted once the attempt is forgotten', () => {
    const { late, finished, controls, counters } = create();
    late.expect(attempt, NEVER);
    late.arrived('f.other.1', { k: 'hb', q: 0, ph: 'decode' }, 1_000);
    late.arrived(attempt.subject, { k: 'rej', wk: 'w' as Incarnation, code: 'busy', retry_ms: 0, used: 0, slots: 0 }, 1_000);
    late.sweep(20_000);
    late.sweep(40_000);
    late.arrived(attempt.subject, data, 40_001);
    expect([finished, controls, counters.lateFrames]).toEqual([[], [], 3]);
  });
});
