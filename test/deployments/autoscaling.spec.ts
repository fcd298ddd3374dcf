import {
  FindDeployment,
  FindDeploymentQuotas,
  GatewayLoad,
  Incarnation,
  ListDeploymentAudit,
  ListDeploymentEvents,
  ScaleDeployment,
  subjectOf,
} from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENV } from '../services/bus.js';
import { until } from '../testing/until.js';
import type { FakeAgent } from './fake-agent.js';
import { anAccount, DeploymentsRig } from './rig.js';
import type { TestService } from '../services/test-service.js';

let postgres: TestPostgres;
let rig: DeploymentsRig;
let service: TestService;
let agents: FakeAgent[];

/** What a gateway reports, each 200 ms. */
const requests = new Map<number, { in_flight: number; queued: number }>();
let reports: NodeJS.Timeout;

beforeAll(async () => {
  postgres = await startTestPostgres();
  rig = await DeploymentsRig.open(postgres);
  service = await rig.startReplica({ SCALE_DOWN_AFTER_MS: '2000', QUOTA_REPLICAS: '12' });
  agents = ['a', 'b', 'c'].map((name) => rig.startAgent({ wk: Incarnation.parse(`agent-${name}`) }));
  const gateway = await rig.connection('gateway');
  const gw = Incarnation.parse('gateway-1');
  reports = setInterval(() => {
    const loads = [...requests].map(([dep, load]) => ({ dep, ...load }));
    if (loads.length > 0) gateway.publish(subjectOf(GatewayLoad, { env: ENV, gw }), JSON.stringify({ gw, loads }));
  }, 200);
});
afterAll(async () => {
  clearInterval(reports);
  await rig?.close();
  await postgres.stop();
});

const range = { min: 1, max: 3, target_percent: 50 };
const holders = (id: number): FakeAgent[] => agents.filter((agent) => agent.runs(id));
const metric = async (name: string): Promise<number | undefined> => {
  const text = await (await fetch(`http://127.0.0.1:${service.port('ops.listening')}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(name));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
};

describe('a deployment with a range', () => {
  it('follows its load, and its emptiest replica leaves first', async () => {
    const account = anAccount();
    const id = await rig.create(account, { slots: 2, replicas: range });
    expect(await rig.seen(account, id, 'ready')).toMatchObject({ replicas: 1, ready_replicas: 1, replica_range: range });

    requests.set(id, { in_flight: 2, queued: 1 });
    await until('three replicas are ready', async () => (await rig.view(account, id)).ready_replicas === 3);
    for (const agent of agents) agent.say(id, { requests: agent.wk === 'agent-b' ? 0 : 2 });
    requests.set(id, { in_flight: 1, queued: 0 });
    const emptiest = agents[1]!;
    emptiest.drains = true;
    await until('one replica leaves', () => !emptiest.runs(id));
    expect(emptiest.assignments.at(-1)).toMatchObject({ stopped: [], leaving: [id] });
    expect(holders(id)).toHaveLength(2);
    emptiest.finish();

    requests.set(id, { in_flight: 0, queued: 0 });
    await until('one replica is left', () => holders(id).length === 1);
    expect(await rig.seen(account, id, 'ready')).toMatchObject({ replicas: 1, replica_range: range });
    const { events } = await rig.ask(ListDeploymentEvents, { account, deployment: id });
    const scaled = events.filter(({ kind }) => kind === 'autoscale').toReversed();
    expect(scaled.map(({ facts: { before, replicas } }) => [before, replicas])).toEqual([
      [1, 2],
      [2, 3],
      [3, 2],
      [2, 1],
    ]);
    expect(scaled.every(({ by }) => by === null)).toBe(true);
    expect(await metric('slipway_autoscaling_changes_total{direction="down"')).toBeGreaterThanOrEqual(2);
  });

  it('asks for no more than has room, and metrics say what is missing', async () => {
    const account = anAccount();
    const id = await rig.create(account, { slots: 1, replicas: { min: 1, max: 4 } });
    await rig.seen(account, id, 'ready');
    requests.set(id, { in_flight: 1, queued: 20 });
    await until('each worker has one', () => holders(id).length === 3);
    await until(
      'one is missing',
      async () => (await metric('slipway_placement_unplaced_replicas{pool="default",reason="no_capacity"')) === 1,
    );
    await until('all of them are ready', async () => (await rig.view(account, id)).ready_replicas === 3);
    expect(await rig.view(account, id)).toMatchObject({ state: 'ready', replicas: 3 });
    expect(await metric('slipway_pool_workers{pool="default"')).toBe(3);
    expect(await metric('slipway_pool_workers_occupied{pool="default"')).toBe(3);

    const added = rig.startAgent({ facts: { pool: 'default' } });
    await until('it is used', () => added.runs(id));
    requests.set(id, { in_flight: 0, queued: 0 });
    await until(
      'nothing is missing',
      async () => (await metric('slipway_placement_unplaced_replicas{pool="default",reason="no_capacity"')) === 0,
    );
  });

  it('counts with its maximum, and ends with a number', async () => {
    const account = anAccount();
    const id = await rig.create(account, { replicas: 3 });
    const scale = (replicas: object | number) => rig.ask(ScaleDeployment, { account, deployment: id, replicas: replicas as number });
    expect(await scale({ min: 1, max: 8 })).toEqual({
      ...{ deployment: id, replicas: 3 },
      replica_range: { min: 1, max: 8, target_percent: 70 },
    });
    expect((await rig.ask(FindDeploymentQuotas, { account })).used.replicas).toBe(8);
    await expect(rig.rpc.call(ScaleDeployment, { account, deployment: id, replicas: { min: 1, max: 13 } })).rejects.toMatchObject({
      code: 'quota_exceeded',
    });
    expect(await scale(2)).toEqual({ deployment: id, replicas: 2, replica_range: null });
    expect((await rig.ask(FindDeploymentQuotas, { account })).used.replicas).toBe(2);
    expect((await rig.ask(FindDeployment, { account, deployment: id })).deployment.replica_range).toBeNull();
    const { entries } = await rig.ask(ListDeploymentAudit, { account });
    expect(entries.slice(0, 2).map(({ facts }) => facts)).toEqual([{ replicas: 2 }, { replicas: 3, min: 1, max: 8, target_percent: 70 }]);
  });

  it.each([
    [{ min: 0, max: 3 }, 'replicas.min', /at least one replica; stop it/],
    [{ min: 3, max: 2 }, 'replicas.max', /fewer than the least/],
    [{ min: 1, max: 65 }, 'replicas.max', /./],
    [{ min: 1, max: 2, target_percent: 101 }, 'replicas.target_percent', /./],
  ])('is refused as %o', async (replicas, param, message) => {
    const account = anAccount();
    const id = await rig.create(account);
    await expect(rig.rpc.call(ScaleDeployment, { account, deployment: id, replicas })).rejects.toMatchObject({
      ...{ code: 'invalid_request', param },
      message: expect.stringMatching(message) as string,
    });
  });
});
