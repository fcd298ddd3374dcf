import { setTimeout as delay } from 'node:timers/promises';
import { startOwnPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CpuShare } from '../cpu-share.js';
import { DEPLOYMENTS, type FeedOwner, KEYS } from '../feed-owners.js';
import { FeedScene } from '../feed-scene.js';
import type { ServiceProcess } from '../service-process.js';

const SHARE = 1 / 20;
const STARVED_MS = Number(process.env['SLIPWAY_STARVED_S'] ?? 300) * 1_000;
/** Time in which a change reaches a reader once the CPU is back, in milliseconds. */
const RECOVERED_MS = 10_000;

const countOf = (service: ServiceProcess, event: string): number => service.output.split(`"event":"${event}"`).length - 1;

describe.runIf(process.platform === 'linux')('a service with a twentieth of a core', () => {
  let postgres: TestPostgres;
  const scenes: FeedScene[] = [];

  beforeAll(async () => {
    postgres = await startOwnPostgres();
  });
  afterAll(async () => {
    await Promise.all(scenes.map((scene) => scene.end()));
    await postgres?.stop();
  });

  const opened = async (owner: FeedOwner): Promise<FeedScene> => {
    const scene = await FeedScene.open(owner, postgres);
    scenes.push(scene);
    return scene;
  };

  it.concurrent.each([KEYS, DEPLOYMENTS])(
    '$app keeps its locks, and serves soon after',
    async (owner) => {
      const scene = await opened(owner);
      const service = await scene.service();
      const follower = await scene.follower('gw-1');
      await follower.sees(await scene.make(), 'open');
      const { epoch } = follower;
      const share = new CpuShare(service.pid, SHARE);
      await delay(STARVED_MS);
      const had = share.end();
      const from = performance.now();
      await follower.sees(await scene.make(), 'open');
      const recoveredMs = performance.now() - from;
      const lost = countOf(service, 'lock.session_lost');
      process.stdout.write(`${owner.app}: ${JSON.stringify({ ...had, lost, recoveredMs: Math.round(recoveredMs) })}\n`);
      expect([lost, follower.epoch]).toEqual([0, epoch]);
      expect(recoveredMs).toBeLessThan(RECOVERED_MS);
    },
    STARVED_MS + 240_000,
  );
});
