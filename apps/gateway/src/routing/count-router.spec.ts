import type { DeploymentId, Heartbeat, Incarnation } from '@slipway/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { CountRouter } from './count-router.js';
import { WorkerTable } from './worker-table.js';

const DEP = 1 as DeploymentId;
const none: ReadonlySet<Incarnation> = new Set();
const wk = (name: string): Incarnation => name as Incarnation;

describe('places for counts', () => {
  let table: WorkerTable;
  let places: CountRouter;
  const heartbeat = (name: string, rest: Partial<Heartbeat> = {}): void => {
    const report = { wk: wk(name), dep: DEP, rev: 1, state: 'ready', n: 0, slots: 1, used: 1, queued: 0, caps: [], ...rest };
    table.report(report as Heartbeat);
  };
  const chooser = (affinity = 1) => places.chooserFor({ deployment: DEP, rev: 1, affinity });
  const choose = (excluded = none, affinity = 1): Promise<Incarnation> => chooser(affinity).choose(excluded, new AbortController());
  const take = async (count: number): Promise<Incarnation[]> => {
    const taken = [];
    for (let i = 0; i < count; i += 1) taken.push(await choose());
    return taken;
  };

  beforeEach(() => {
    table = new WorkerTable(() => 0);
    places = new CountRouter(table, () => 0);
  });

  it('are found at full runners, and take no slot', async () => {
    heartbeat('a', { used: 1 });
    expect(await choose()).toBe('a');
    expect(table.worker(DEP, wk('a'))?.free).toBe(0);
    heartbeat('a', { n: 1, used: 0 });
    expect(table.worker(DEP, wk('a'))?.free).toBe(1);
  });

  it('are stable per conversation and spread over many', async () => {
    for (const name of ['a', 'b', 'c']) heartbeat(name);
    expect(new Set(await take(10)).size).toBe(1);
    const chosen = await Promise.all(Array.from({ length: 60 }, (_, affinity) => choose(none, affinity * 7_919)));
    expect(new Set(chosen).size).toBe(3);
  });

  it('are 64 at each runner, then at others', async () => {
    heartbeat('a');
    heartbeat('b');
    const taken = await take(128);
    expect(taken.filter((name) => name === 'a')).toHaveLength(64);
    await expect(choose()).rejects.toMatchObject({ code: 'overloaded', retryAfterS: 1 });
    chooser().released(wk('b'));
    expect(await choose()).toBe('b');
  });

  it('exclude runners that are excluded, leaving or gone', async () => {
    heartbeat('a');
    await expect(choose(new Set([wk('a')]))).rejects.toMatchObject({ code: 'deployment_unavailable' });
    chooser().refused(wk('a'), { kind: 'rejected', code: 'draining', used: 0, slots: 1 });
    await expect(choose()).rejects.toMatchObject({ code: 'deployment_unavailable' });
    heartbeat('a', { n: 1 });
    expect(await choose()).toBe('a');
    chooser().refused(wk('a'), { kind: 'absent' });
    await expect(choose()).rejects.toMatchObject({ code: 'deployment_unavailable' });
  });

  it('do not change slots when a runner is full', async () => {
    heartbeat('a', { slots: 4, used: 1 });
    chooser().refused(wk('a'), { kind: 'rejected', code: 'busy', used: 1, slots: 4 });
    expect(table.worker(DEP, wk('a'))?.free).toBe(3);
    expect(await choose()).toBe('a');
  });

  it('end at a runner that keeps failing', async () => {
    heartbeat('a');
    for (let i = 0; i < 5; i += 1) chooser().refused(wk('a'), { kind: 'silent' });
    await expect(choose()).rejects.toMatchObject({ code: 'deployment_unavailable' });
  });
});
