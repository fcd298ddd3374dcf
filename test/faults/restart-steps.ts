import { expect } from 'vitest';
import { flawed, type GatewayStats, report, spread } from './fleet.js';
import type { LossStage } from './loss-stage.js';

/** Streams that last four seconds. */
export const LOAD = { count: 100, tokens: 120, hz: 30, gapMs: 2 };

/** Checks that no stream lost a token or its worker. */
export async function expectNothingLost(stage: LossStage, what: string): Promise<void> {
  const results = await stage.results();
  const { counters } = await stage.fleet.gateway.ask<GatewayStats>('stats');
  report(what, `pause ${spread(results.map((r) => r.pause))}, ${counters['replays']} replays, ${counters['gaps']} gaps`);
  expect(flawed(results, LOAD.tokens)).toEqual([]);
  expect(counters).toMatchObject({ lostWorkers: 0, lostStreams: 0, restarts: 0 });
}
