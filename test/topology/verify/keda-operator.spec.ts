import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { stringify } from 'yaml';
import { until } from '../../testing/until.js';
import { CHART } from '../chart.js';
import { ControlledCluster } from '../controlled-cluster.js';
import { Keda } from '../keda.js';
import { PrometheusStub } from '../prometheus-stub.js';

const [MIN, MAX] = [2, 14];
const POOL = 'slipway-worker-gpu';
/** A pool that may be empty, by a query of the operator's. */
const IDLE = 'slipway-worker-idle';
const QUERY = 'sum(requests_that_wait)';
const WITHIN_MS = 120_000;

interface Conditions {
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

interface Autoscaler {
  readonly spec: {
    readonly minReplicas: number;
    readonly maxReplicas: number;
    readonly scaleTargetRef: { readonly name: string };
    readonly behavior: { readonly scaleUp: object; readonly scaleDown: object };
  };
  readonly status: { readonly desiredReplicas: number };
}

const prometheus = new PrometheusStub();
let started: ControlledCluster | string = '';
let keda: Keda | undefined;
let folder: string;
const there = (context: TestContext): ControlledCluster => (typeof started === 'string' ? context.skip(started) : started);

/** The least of everything but the pool, so that little has to start. */
const values = (): object => ({
  nats: { enabled: false, url: 'nats://nats.example.com:4222' },
  gateway: { replicas: 1, autoscaling: { enabled: false } },
  keys: { replicas: 1 },
  deployments: { replicas: 1 },
  console: { enabled: false },
  workerPools: [
    { name: 'gpu', autoscaling: { kind: 'keda', min: MIN, max: MAX, prometheus: prometheus.url, cooldownSeconds: 5 } },
    {
      name: 'idle',
      autoscaling: { kind: 'keda', min: 0, max: 4, prometheus: prometheus.url, query: QUERY, target: 8, cooldownSeconds: 5 },
    },
  ],
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-chart-'));
  await prometheus.start();
  prometheus.answer = MIN;
  writeFileSync(join(folder, 'values.yaml'), stringify(values()));
  const found = await Keda.find();
  if (typeof found === 'string') {
    started = found;
    return;
  }
  keda = found;
  started = await ControlledCluster.start();
  if (typeof started === 'string') return;
  await keda.start(started.server);
  await started.helm('install', 'slipway', CHART, '--values', join(folder, 'values.yaml'));
}, 3_600_000);
afterAll(async () => {
  if (typeof started !== 'string') await started.stop();
  keda?.stop();
  prometheus.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

interface Pool {
  /** Rises with each change of the spec. */
  readonly metadata: { readonly generation: number };
  readonly spec: { readonly replicas: number };
  readonly status: { readonly readyReplicas?: number };
}

const pool = async ({ server }: ControlledCluster, name = POOL): Promise<Pool> => (await server.get<Pool>('deployment', name))!;
const autoscaler = async ({ server }: ControlledCluster): Promise<Autoscaler> => (await server.get<Autoscaler>('hpa', `keda-hpa-${POOL}`))!;

/** Waits until so many workers are ready. @returns the pool then */
async function untilReady(cluster: ControlledCluster, workers: number, name = POOL): Promise<Pool> {
  const areReady = async (): Promise<Pool | false> => {
    const found = await pool(cluster, name);
    return found.spec.replicas === workers && (found.status.readyReplicas ?? 0) === workers && found;
  };
  return until(`there are ${workers} workers`, areReady, WITHIN_MS, 200);
}

/** Has Prometheus say how many workers are needed, and waits until so many are ready. @returns how many the autoscaler wants then */
async function need(cluster: ControlledCluster, workers: number): Promise<number> {
  prometheus.answer = workers;
  await untilReady(cluster, workers);
  return (await autoscaler(cluster)).status.desiredReplicas;
}

async function untilScaledObject(cluster: ControlledCluster, type: string): Promise<void> {
  const holds = async (): Promise<boolean> => {
    const { status } = (await cluster.server.get<Conditions>('scaledobject', POOL)) ?? { status: {} };
    return status.conditions?.some((one) => one.type === type && one.status === 'True') === true;
  };
  await until(`the ScaledObject is ${type}`, holds, WITHIN_MS, 200);
}

describe('a pool of workers that KEDA scales', () => {
  it('gets an autoscaler with the bounds of the values', async (context) => {
    const cluster = there(context);
    await untilScaledObject(cluster, 'Ready');
    const { spec } = await autoscaler(cluster);
    expect(spec).toMatchObject({ minReplicas: MIN, maxReplicas: MAX, scaleTargetRef: { name: POOL } });
    expect(spec.behavior).toMatchObject({ scaleUp: { tolerance: '0' }, scaleDown: { tolerance: '0', stabilizationWindowSeconds: 5 } });
    expect(await need(cluster, MIN)).toBe(MIN);
  });

  it('keeps its workers when the release is upgraded', async (context) => {
    const cluster = there(context);
    expect(await need(cluster, MIN + 1)).toBe(MIN + 1);
    const before = (await pool(cluster)).metadata;
    await cluster.helm('upgrade', 'slipway', CHART, '--values', join(folder, 'values.yaml'), '--set', 'gateway.replicas=2');
    expect((await pool(cluster)).metadata.generation).toBe(before.generation);
  });

  it('grows by the replica that has no room', async (context) => {
    const cluster = there(context);
    expect(await need(cluster, MIN + 1)).toBe(MIN + 1);
    // From ten workers on, one more is within what autoscalers let pass unless they are told.
    for (const workers of [12, 13]) expect(await need(cluster, workers)).toBe(workers);
  });

  it('keeps its workers while Prometheus knows nothing', async (context) => {
    const cluster = there(context);
    await need(cluster, 13);
    prometheus.answer = null;
    await untilScaledObject(cluster, 'Fallback');
    const asked = (): number => prometheus.queries.filter((query) => query !== QUERY).length;
    const before = asked();
    // For longer than the cooldown: the autoscaler asks each second.
    await until('it asked ten times more', () => asked() >= before + 10, WITHIN_MS, 200);
    expect((await pool(cluster)).spec.replicas).toBe(13);
  });

  it('shrinks by the worker that became empty', async (context) => {
    const cluster = there(context);
    await need(cluster, 13);
    expect(await need(cluster, 12)).toBe(12);
  });

  it('may be empty until a query of yours wakes it', async (context) => {
    const cluster = there(context);
    prometheus.answers.set(QUERY, 0);
    expect((await untilReady(cluster, 0, IDLE)).spec.replicas).toBe(0);
    // Eight for each worker.
    prometheus.answers.set(QUERY, 20);
    expect((await untilReady(cluster, 3, IDLE)).spec.replicas).toBe(3);
    prometheus.answers.set(QUERY, 0);
    expect((await untilReady(cluster, 0, IDLE)).spec.replicas).toBe(0);
  });
});
