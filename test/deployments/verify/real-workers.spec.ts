import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AccountId, type DeploymentId, type DeploymentView, FindDeployment, UpdateDeployment } from '@slipway/contracts';
import { jsonAnswer, modelList, ScriptedUpstream, startTestPostgres, type TestPostgres, type UpstreamScript } from '@slipway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CERTIFICATE, ModelHost } from '../../worker/model-host.js';
import { until } from '../../testing/until.js';
import { anAccount, DeploymentsRig, MODEL } from '../rig.js';

/** Bounds a failure: models load in seconds, and tries follow after 2, 4 and 8 s. */
const PATIENCE_MS = 50_000;
const model = readFileSync(MODEL);

let postgres: TestPostgres;
let rig: DeploymentsRig;
let account: AccountId;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  rig = await DeploymentsRig.open(postgres);
  account = anAccount();
});
afterEach(() => rig.close());

const untilShown = (id: DeploymentId, state: string, reason: string | null = null): Promise<DeploymentView> =>
  rig.seen(account, id, state, reason, PATIENCE_MS);
const serviceWith = (settings: Readonly<Record<string, string>> = {}) =>
  rig.startReplica({ MODEL_DIRS: `${join(MODEL, '..')},${rig.folder}`, ...settings });

describe('a worker', () => {
  it('that is killed loses its deployments', async () => {
    await serviceWith();
    const workers = [rig.startWorker(), rig.startWorker()];
    const ids = [await rig.create(account), await rig.create(account)];
    for (const id of ids) await untilShown(id, 'ready');
    workers[0]!.signal('SIGKILL');
    await until(
      'both run on one agent',
      async () => {
        const found = await Promise.all(ids.map((deployment) => rig.ask(FindDeployment, { account, deployment })));
        const agents = found.flatMap(({ running }) => running.filter(({ state }) => state === 'ready').map(({ agent }) => agent));
        return agents.length === 2 && new Set(agents).size === 1;
      },
      PATIENCE_MS,
    );
    for (const id of ids) await untilShown(id, 'ready');
  });

  it('that was frozen returns without loading again', async () => {
    await serviceWith();
    const worker = rig.startWorker();
    const id = await rig.create(account);
    await untilShown(id, 'ready');
    const loads = (): number => worker.output.split('"event":"placement.ready"').length - 1;
    await expect.poll(loads, { timeout: 30_000 }).toBe(1);
    worker.signal('SIGSTOP');
    try {
      await untilShown(id, 'pending', 'no_worker');
    } finally {
      worker.signal('SIGCONT');
    }
    await untilShown(id, 'ready');
    await worker.lastWords();
    expect(loads()).toBe(1);
  });

  it('that is full leaves a deployment pending', async () => {
    await serviceWith();
    rig.startWorker({ WORKER_MEM_BYTES: '1000000' });
    const id = await rig.create(account);
    expect((await untilShown(id, 'pending', 'no_capacity')).detail).toMatch(/^A replica needs about [\d.]+ GiB/);
    await rig.published(id, 'pending');
    rig.startWorker();
    await untilShown(id, 'ready');
  });
});

describe('a model', () => {
  it.each([
    ['is damaged', model.subarray(0, 100_000)],
    ['is no model', Buffer.from('This is not a model.')],
  ])('whose file %s fails until an update', async (_, content) => {
    await serviceWith();
    rig.startWorker();
    const path = join(rig.folder, 'broken.gguf');
    writeFileSync(path, content);
    const id = await rig.create(account, { source: { kind: 'file', path } });
    expect((await untilShown(id, 'failed', 'model_invalid')).detail).not.toBeNull();
    await rig.ask(UpdateDeployment, { account, deployment: id, source: { kind: 'file', path: MODEL } });
    expect(await untilShown(id, 'ready')).toMatchObject({ rev: 2, serving_rev: 2 });
  });

  it('that cannot be downloaded fails with the reason', async () => {
    const host = await ModelHost.start();
    try {
      const hosts = { MODEL_HOSTS: `localhost:${host.port}` };
      await serviceWith(hosts);
      rig.startWorker({ ...hosts, NODE_EXTRA_CA_CERTS: CERTIFICATE });
      const id = await rig.create(account, { source: { kind: 'download', uri: host.url('/late.gguf') } });
      await untilShown(id, 'failed', 'download_failed');
      await rig.published(id, 'failed');
      host.serve('/late.gguf', model);
      await untilShown(id, 'ready');
    } finally {
      await host.stop();
    }
  });

  it('from a host the worker forbids fails', async () => {
    await serviceWith({ MODEL_HOSTS: 'models.example' });
    rig.startWorker({ MODEL_HOSTS: 'localhost' });
    const id = await rig.create(account, { source: { kind: 'download', uri: 'https://models.example/a.gguf' } });
    await untilShown(id, 'failed', 'download_failed');
  });
});

it('an HTTP engine’s state is shown as it is', async () => {
  const upstream = await ScriptedUpstream.start(() => jsonAnswer(503, { error: 'down' }));
  const listed = (answer: UpstreamScript): unknown => upstream.gets.set('/v1/models', answer);
  try {
    listed(jsonAnswer(503, { error: 'down' }));
    const hosts = { ENGINE_HOSTS: new URL(upstream.url).host };
    await serviceWith(hosts);
    rig.startWorker(hosts);
    const id = await rig.create(account, { source: { kind: 'http', url: `${upstream.url}/v1`, model: 'scripted' } });
    await untilShown(id, 'failed', 'engine_unreachable');
    listed(jsonAnswer(401, { error: 'who are you?' }));
    await untilShown(id, 'failed', 'engine_refused');
    listed(modelList('scripted'));
    await untilShown(id, 'ready');
  } finally {
    await upstream.stop();
  }
});

describe('an update on a real worker', () => {
  it('to a damaged file leaves the old one serving', async () => {
    await serviceWith();
    rig.startWorker();
    const path = join(rig.folder, 'broken.gguf');
    writeFileSync(path, model.subarray(0, 100_000));
    const deployment = await rig.create(account);
    await untilShown(deployment, 'ready');
    await rig.ask(UpdateDeployment, { account, deployment, source: { kind: 'file', path } });
    const view = await untilShown(deployment, 'degraded', 'model_invalid');
    expect(view).toMatchObject({ rev: 2, serving_rev: 1, ready_replicas: 1 });
    expect(view.detail).toMatch(/^Revision 2 cannot take over, revision 1 serves\./);
    expect(await rig.published(deployment, 'degraded')).toMatchObject({ rev: 1 });
    await rig.ask(UpdateDeployment, { account, deployment, base: 1 });
    expect(await untilShown(deployment, 'ready')).toMatchObject({ rev: 3 });
  });
});
