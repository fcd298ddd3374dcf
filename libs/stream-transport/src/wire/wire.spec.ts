import type { DeploymentId, Incarnation, StreamId } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { type LoopPace, StallWatch } from './link.js';
import { subjectsOf } from './subjects.js';
import { TwiceSweptMap } from '../gateway/late-frames.js';

const LIMITS = { stallMs: 1_000, patienceMs: 10_000 };

describe('the stall watch', () => {
  it('reports a gap of over 1 s once', () => {
    const watch = new StallWatch(LIMITS);
    expect([0, 20, 730, 1_000, 1_001, 0].map((lateMs) => watch.pace(5_000, lateMs))).toEqual([
      ...Array<LoopPace>(4).fill('steady'),
      'stalled',
      'steady',
    ]);
  });

  it('reports one long stall as a single stall', () => {
    const watch = new StallWatch(LIMITS);
    expect([3_600_000, 0, 3_599_950].map((lateMs) => watch.pace(lateMs, lateMs))).toEqual(['stalled', 'steady', 'stalled']);
  });

  it('reports a series longer than its patience', () => {
    const watch = new StallWatch(LIMITS);
    const paces = Array.from({ length: 14 }, (_, i) => watch.pace(2_000 * (i + 1), 1_950));
    expect(paces).toEqual([...Array<LoopPace>(6).fill('stalled'), ...Array<LoopPace>(8).fill('stalls on')]);
    expect(watch.pace(28_050, 0)).toBe('steady');
    expect(watch.pace(30_000, 1_900)).toBe('stalled');
  });
});

describe('a map with expiry', () => {
  it('keeps an entry for one to two intervals', () => {
    const map = new TwiceSweptMap<string, number>(1_000, 0);
    map.set('a', 1);
    map.sweep(999);
    map.sweep(1_000);
    expect(map.get('a')).toBe(1);
    map.set('b', 2);
    map.sweep(1_500);
    expect(map.size).toBe(2);
    map.sweep(2_000);
    expect([map.get('a'), map.get('b'), map.size]).toEqual([undefined, 2, 1]);
  });
});

describe('subjects', () => {
  const subjects = subjectsOf('dev');
  const [gw, wk, st] = ['g1', 'w1', 's1'] as unknown as [Incarnation, Incarnation, StreamId];

  it('match the protocol', () => {
    expect(subjects.frames(gw, st, 2)).toBe('inf.dev.v1.g.g1.r.s1.2');
    expect(subjects.allFramesOf(gw)).toBe('inf.dev.v1.g.g1.r.*.*');
    expect(subjects.control(wk)).toBe('inf.dev.v1.w.w1.ctl');
    expect(subjects.starts(wk)).toBe('inf.dev.v1.w.w1.start');
    expect(subjects.answers(gw, wk)).toBe('inf.dev.v1.g.g1.a.w1');
    expect(subjects.noInterest(wk, st, 2)).toBe('inf.dev.v1.w.w1.ni.s1.2');
    expect(subjects.heartbeats(7 as DeploymentId, wk)).toBe('inf.dev.v1.hb.7.w1');
  });

  it('are parsed back only when they are frame subjects', () => {
    expect(subjects.readFrames('inf.dev.v1.g.g1.r.s1.2')).toEqual({ gw: 'g1', st: 's1', at: 2 });
    for (const other of [
      '',
      'inf.prod.v1.g.g1.r.s1.2',
      'inf.dev.v1.g.g1.a.w1',
      'inf.dev.v1.g.g1.r.s1.0',
      'inf.dev.v1.g.g1.r.s1.x',
      'inf.dev.v1.g.g1.r.s1.2.3',
      'infXdev.v1.g.g1.r.s1.2',
      'inf.dev.v1.g.*.r.s1.2',
      'key.dev.v1.rpc.create',
    ]) {
      expect(subjects.readFrames(other)).toBeNull();
    }
  });
});
