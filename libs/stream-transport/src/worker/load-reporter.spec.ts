import type { DeploymentId, Heartbeat, Incarnation } from '@slipway/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WorkerLoad } from '../types.js';
import { LoadReporter } from './load-reporter.js';

describe('load reports', () => {
  let load: WorkerLoad;
  let sent: Heartbeat[];
  let reporter: LoadReporter;

  beforeEach(() => {
    vi.useFakeTimers({ now: 10_000 });
    load = { state: 'ready', slots: 2, used: 0, queued: 0 };
    sent = [];
    reporter = new LoadReporter({
      identity: { wk: 'w' as Incarnation, dep: 1 as DeploymentId, rev: 3, fingerprint: 'f', caps: [], zone: null },
      load: () => load,
      publish: (heartbeat) => sent.push(heartbeat),
      clock: () => Date.now(),
      heartbeatMs: 1_000,
      spacingMs: 50,
    });
    reporter.report();
  });

  afterEach(() => {
    reporter.stop();
    vi.useRealTimers();
  });

  it('are sent every second', () => {
    vi.advanceTimersByTime(999);
    reporter.tick(Date.now());
    vi.advanceTimersByTime(1);
    reporter.tick(Date.now());
    expect(sent.map(({ n }) => n)).toEqual([1, 2]);
  });

  it('are sent at once when routing changes', () => {
    for (const used of [1, 2, 2, 1]) {
      vi.advanceTimersByTime(60);
      load = { ...load, used };
      reporter.changed();
    }
    vi.advanceTimersByTime(60);
    load = { ...load, state: 'draining' };
    reporter.changed();
    expect(sent.map(({ state, used }) => [state, used])).toEqual([
      ['ready', 0],
      ['ready', 2],
      ['ready', 1],
      ['draining', 1],
    ]);
  });

  it('are 50 ms apart and carry the latest load', () => {
    load = { ...load, used: 2 };
    reporter.changed();
    load = { ...load, used: 1 };
    reporter.report();
    expect(sent).toHaveLength(1);
    vi.advanceTimersByTime(50);
    expect(sent.map(({ used }) => used)).toEqual([0, 1]);
  });

  it('stop with the reporter', () => {
    reporter.report();
    reporter.stop();
    vi.advanceTimersByTime(1_000);
    expect(sent).toHaveLength(1);
  });
});
