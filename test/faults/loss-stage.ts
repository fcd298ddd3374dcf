import { TestNatsServer } from '@slipway/testing';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { Fleet, flawed, type StreamResult } from './fleet.js';

export const TOKENS = 180;
/** Streams that last six seconds. */
export const LOAD = { count: 80, tokens: TOKENS, hz: 30, gapMs: 2 };

/** A few workers and a gateway on a nats-server, and one of the workers, which the test may lose. */
export class LossStage {
  fleet!: Fleet;
  victim!: string;
  nats!: TestNatsServer;

  /** Starts it before the tests of the calling file, and renews it before each of them. */
  static around(workers = 4): LossStage {
    const stage = new LossStage();
    beforeAll(async () => {
      stage.nats = await TestNatsServer.start();
      stage.fleet = await Fleet.start({ url: stage.nats.url, workers, gateways: 0 });
    });
    beforeEach(async () => {
      await stage.fleet.renew();
      stage.victim = stage.fleet.someWorker;
    });
    afterAll(async () => {
      await stage.fleet?.end();
      await stage.nats?.end();
    });
    return stage;
  }

  results(): Promise<StreamResult[]> {
    return this.fleet.gateway.ask<StreamResult[]>('results');
  }
}

/** Checks that streams of the lost worker ended with `worker_lost` in time and all others are complete. */
export function expectOnlyItsStreamsLost(results: readonly StreamResult[], lost: { wk: string; at: number; withinMs: number }): void {
  const its = results.filter((r) => r.workers.includes(lost.wk));
  const others = results.filter((r) => !its.includes(r));
  expect(its.length).toBeGreaterThan(0);
  expect(its.filter((r) => r.outcome !== 'error' || r.code !== 'worker_lost' || r.wrong > 0)).toEqual([]);
  expect(its.filter((r) => r.endedAt - lost.at > lost.withinMs)).toEqual([]);
  expect(flawed(others, TOKENS)).toEqual([]);
}
