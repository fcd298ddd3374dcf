import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { stringify } from 'yaml';
import { until } from '../../testing/until.js';
import type { ApiServer } from '../api-server.js';
import { CHART } from '../chart.js';
import { MetricsStub } from '../control-plane.js';
import { ControlledCluster } from '../controlled-cluster.js';
import { type KubernetesObject, podOf } from '../rendered-chart.js';

/** NATS and PostgreSQL outside: volumes need a driver that is not here. */
const VALUES = {
  nats: { enabled: false, url: 'nats://nats.example.com:4222' },
  gateway: { autoscaling: { min: 3, max: 6 } },
  // Each node has one GPU, so the pool has none to spare.
  workerPools: [
    { name: 'cpu', replicas: 3 },
    { name: 'gpu', gpu: true, replicas: 3, resources: { limits: { 'nvidia.com/gpu': 1 } } },
  ],
  // The least that a schedule of Kubernetes waits.
  streams: { schedule: '* * * * *' },
};
const GPU_POOL = 'slipway-worker-gpu';
const ROLLED = ['gateway', 'keys', 'deployments', 'console', 'worker-cpu', 'worker-gpu'].map((name) => `slipway-${name}`);
const WITHIN_MS = 120_000;

interface Stored {
  readonly metadata: { readonly name: string; readonly creationTimestamp: string };
  readonly spec: { readonly replicas: number; readonly nodeName?: string };
  readonly status: {
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly replicas?: number;
    readonly availableReplicas?: number;
    readonly desiredReplicas?: number;
    readonly completionTime?: string;
  };
}

let started: ControlledCluster | string = '';
let folder: string;
let metrics: MetricsStub | undefined;
const there = (context: TestContext): ControlledCluster => (typeof started === 'string' ? context.skip(started) : started);
const api = (context: TestContext): ApiServer => there(context).server;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-chart-'));
  writeFileSync(join(folder, 'values.yaml'), stringify(VALUES));
  started = await ControlledCluster.start();
  if (typeof started === 'string') return;
  metrics = new MetricsStub(started.server);
  await metrics.start();
  await started.helm('install', 'slipway', CHART, '--values', join(folder, 'values.yaml'), '--wait', '--timeout', '4m');
}, 3_600_000);
afterAll(async () => {
  await metrics?.stop();
  if (typeof started !== 'string') await started.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

async function all(cluster: ApiServer, kind: string, component?: string): Promise<readonly Stored[]> {
  const selector = component === undefined ? [] : ['--selector', `app.kubernetes.io/component=${component}`];
  return (JSON.parse(await cluster.kubectl(['get', kind, ...selector, '--output', 'json'])) as { items: Stored[] }).items;
}

/** Asks to evict a pod as `kubectl drain` does. @returns whether it was */
async function evict(cluster: ApiServer, name: string): Promise<boolean> {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'serving' } };
  const path = `/api/v1/namespaces/serving/pods/${name}/eviction`;
  try {
    await cluster.kubectl(['create', '--raw', path, '--filename', '-'], JSON.stringify(eviction));
    return true;
  } catch (error) {
    // 429: the budget does not allow it now.
    if (!String(error).includes('disruption budget')) throw error;
    return false;
  }
}

const desired = async (cluster: ApiServer): Promise<number> =>
  (await cluster.get<Stored>('hpa', 'slipway-gateway'))?.status.desiredReplicas ?? 0;

describe('the Helm chart, run by the controllers of Kubernetes', () => {
  it('makes Secrets and streams before its Deployments are ready', async (context) => {
    const cluster = api(context);
    const deployments = await all(cluster, 'deployments');
    expect(deployments.length).toBeGreaterThan(4);
    for (const { metadata, spec, status } of deployments)
      expect([metadata.name, status.readyReplicas]).toEqual([metadata.name, spec.replicas]);
    const order = JSON.parse(await there(context).helm('status', 'slipway', '--output', 'json')) as {
      hooks: { name: string; events: string[]; weight?: number; last_run: { completed_at: string } }[];
    };
    const secrets = order.hooks.find(({ name, events }) => name === 'slipway-secrets' && events.includes('pre-install'));
    const first = deployments.map(({ metadata }) => Date.parse(metadata.creationTimestamp)).toSorted((a, b) => a - b)[0] ?? 0;
    expect(Math.floor(Date.parse(secrets?.last_run.completed_at ?? '') / 1_000) * 1_000).toBeLessThanOrEqual(first);
  });

  it('spreads gateways and workers over the zones', async (context) => {
    const cluster = api(context);
    for (const component of ['gateway', 'worker-cpu']) {
      const nodes = (await all(cluster, 'pods', component)).map(({ spec }) => spec.nodeName);
      expect([component, new Set(nodes).size]).toEqual([component, 3]);
    }
  });

  it.for(['gateway', 'worker-cpu', 'keys', 'deployments'])(
    'refuses a second eviction of %s until the first is replaced',
    async (component, context) => {
      const cluster = api(context);
      const nodes = ['node-a', 'node-b', 'node-c'];
      const budget = async (): Promise<boolean> => (await evictable(cluster, component)) === 1;
      await until('its budget is known', budget, WITHIN_MS, 500);
      const [first, second] = await all(cluster, 'pods', component);
      await cluster.kubectl(['cordon', ...nodes]);
      try {
        expect(await evict(cluster, first!.metadata.name)).toBe(true);
        await until('the budget is used up', async () => (await evictable(cluster, component)) === 0, WITHIN_MS, 200);
        expect(await evict(cluster, second!.metadata.name)).toBe(false);
      } finally {
        await cluster.kubectl(['uncordon', ...nodes]);
      }
      await until('it is replaced', budget, WITHIN_MS, 500);
      expect(await evict(cluster, second!.metadata.name)).toBe(true);
      await until('it is replaced too', budget, WITHIN_MS, 500);
    },
  );

  it('lets a node be emptied whose GPU has no spare', async (context) => {
    const cluster = api(context);
    const budget = (): Promise<number | undefined> => evictable(cluster, 'worker-gpu');
    await until('its budget is known', async () => (await budget()) === 1, WITHIN_MS, 500);
    try {
      await cluster.kubectl(['drain', 'node-a', '--delete-emptydir-data', '--ignore-daemonsets', '--timeout', '100s']);
      await until('the budget is used up', async () => (await budget()) === 0, WITHIN_MS, 200);
      const pods = (await all(cluster, 'pods', 'worker-gpu')).map(({ spec }) => spec.nodeName ?? 'nowhere');
      expect(pods.toSorted()).toEqual(['node-b', 'node-c', 'nowhere']);
    } finally {
      await cluster.kubectl(['uncordon', 'node-a']);
    }
    await until('the next node may be emptied', async () => (await budget()) === 1, WITHIN_MS, 500);
  });

  it('makes missing streams at the times of its CronJob', async (context) => {
    const cluster = api(context);
    const done = async (): Promise<CronJob | false> => {
      const job = await cluster.get<CronJob>('cronjob', 'slipway-streams');
      return job?.status.lastSuccessfulTime !== undefined && job;
    };
    const { status } = await until('its Job completed', done, WITHIN_MS, 500);
    expect(Date.parse(status.lastScheduleTime!) % 60_000).toBe(0);
    const text = await cluster.kubectl(['create', 'job', 'by-hand', '--from', 'cronjob/slipway-streams', '--output', 'json']);
    const made = podOf(JSON.parse(text) as KubernetesObject)!;
    expect(made.containers[0]!.command).toEqual(['node', 'deploy/make-streams.mjs', '--missing']);
    // A Job that completed leaves at once, and its events stay.
    const events = (): Promise<string> => cluster.kubectl(['events', '--for', 'job/by-hand']);
    await until('it completed too', async () => (await events()).includes('Completed'), WITHIN_MS, 500);
    expect(await events()).toContain('SuccessfulCreate');
  });

  it('keeps gateways between their bounds by CPU time', async (context) => {
    const cluster = api(context);
    metrics!.use.set('gateway', 100);
    await until('the least are wanted', async () => (await desired(cluster)) === 3, WITHIN_MS, 500);
    // The target is 60 % of one core.
    metrics!.use.set('gateway', 750);
    await until('more are wanted', async () => (await desired(cluster)) > 3, WITHIN_MS, 500);
    metrics!.use.set('gateway', 5_000);
    await until('the most are wanted', async () => (await desired(cluster)) === 6, WITHIN_MS, 500);
    const available = async (): Promise<boolean> =>
      (await cluster.get<Stored>('deployment', 'slipway-gateway'))?.status.availableReplicas === 6;
    await until('they are there', available, WITHIN_MS, 500);
    metrics!.use.set('gateway', 10);
    const { conditions } = await until('none leaves before ten minutes', async () => stabilized(cluster), WITHIN_MS, 500);
    expect(conditions.find(({ type }) => type === 'AbleToScale')?.reason).toBe('ScaleDownStabilized');
    expect(await desired(cluster)).toBe(6);
  });

  it('loses no replica in an upgrade, GPU pools one', async (context) => {
    const cluster = api(context);
    // Pods that the tests before evicted may not be replaced yet.
    const areThere = async (): Promise<boolean> =>
      (await all(cluster, 'deployments')).every(({ spec, status }) => status.availableReplicas === spec.replicas);
    await until('all replicas are there', areThere, WITHIN_MS, 500);
    const before = new Map((await all(cluster, 'deployments')).map(({ metadata, spec }) => [metadata.name, spec.replicas]));
    let isOver = false;
    const values = ['--values', join(folder, 'values.yaml'), '--set', 'image.tag=0.2.0'];
    const upgrade = there(context)
      .helm('upgrade', 'slipway', CHART, ...values)
      .finally(() => (isOver = true));
    const least = new Map(ROLLED.map((name) => [name, Infinity]));
    const watched = async (): Promise<boolean> => {
      const now = (await all(cluster, 'deployments')).filter(({ metadata }) => least.has(metadata.name));
      for (const { metadata, status } of now)
        least.set(metadata.name, Math.min(least.get(metadata.name) ?? 0, status.availableReplicas ?? 0));
      return isOver && now.every(isRolled);
    };
    await until('every pod is of the new release', watched, 2 * WITHIN_MS, 200);
    await upgrade;
    const lost = ROLLED.map((name) => [name, (before.get(name) ?? 0) - (least.get(name) ?? 0)]);
    expect(lost).toEqual(ROLLED.map((name) => [name, name === GPU_POOL ? 1 : 0]));
  });
});

async function evictable(cluster: ApiServer, component: string): Promise<number | undefined> {
  const budget = await cluster.get<{ status: { disruptionsAllowed: number } }>('pdb', `slipway-${component}`);
  return budget?.status.disruptionsAllowed;
}

/** Whether all pods of a Deployment are of the new release. */
function isRolled({ spec, status }: Stored): boolean {
  const isNew = JSON.stringify(spec).includes(':0.2.0"');
  return isNew && status.updatedReplicas === spec.replicas && status.replicas === spec.replicas;
}

interface CronJob {
  readonly status: { readonly lastScheduleTime?: string; readonly lastSuccessfulTime?: string };
}

interface Conditions {
  readonly conditions: readonly { readonly type: string; readonly reason: string }[];
}

async function stabilized(cluster: ApiServer): Promise<Conditions | null> {
  const { status } = (await cluster.get<{ status: Conditions }>('hpa', 'slipway-gateway')) ?? { status: { conditions: [] } };
  return status.conditions.some(({ reason: why }) => why === 'ScaleDownStabilized') ? status : null;
}
