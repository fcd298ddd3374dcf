import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AccountId, type DeploymentId, type DeploymentView, FindDeployment, UpdateDeployment } from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { anAccount, DeploymentsRig, MODEL } from './rig.js';
import { until } from './until.js';

/** Bounds a failure: models load in seconds, and tries follow after 2, 4 and 8 s. */
const PATIENCE_MS = 50_000;

// Models load in processes of their own, which take their time on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

let postgres: TestPostgres;
let rig: DeploymentsRig;
let account: AccountId;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  rig = await DeploymentsRig.open(postgres);
  account = anAccount();
});
afterEach(() => rig.close());

const untilShown = (id: DeploymentId, state: string, reason: string | null = null): Promise<DeploymentView> =>
  rig.seen(account, id, state, reason, PATIENCE_MS);
const serviceWith = (settings: NodeJS.ProcessEnv = {}) =>
  rig.startReplica({ MODEL_DIRS: `${join(MODEL, '..')},${rig.folder}`, ...settings });

it('a worker that is killed leaves its deployments pending for want of a worker; the next one takes them', async () => {
  await serviceWith();
  const worker = rig.startWorker();
  const id = await rig.create(account);
  await untilShown(id, 'ready');
  worker.signal('SIGKILL');
  await untilShown(id, 'pending', 'no_worker');
  await rig.heard(id, 'pending');
  rig.startWorker();
  await untilShown(id, 'ready');
  await rig.heard(id, 'ready');
});

it('a model whose file is missing fails as such, and is ready once the file is there', async () => {
  await serviceWith();
  rig.startWorker();
  const path = join(rig.folder, 'late.gguf');
  const id = await rig.create(account, { source: { kind: 'file', path } });
  expect(await untilShown(id, 'failed', 'model_missing')).toMatchObject({ ready_replicas: 0, serving_rev: null });
  await rig.heard(id, 'failed');
  copyFileSync(MODEL, path);
  await untilShown(id, 'ready');
  await rig.heard(id, 'ready');
});

it('an update loads the new revision beside the old one, then unloads the old one', async () => {
  await serviceWith();
  const worker = rig.startWorker();
  const deployment = await rig.create(account, { context: 512 });
  expect(await untilShown(deployment, 'ready')).toMatchObject({ serving_rev: 1 });
  await rig.ask(UpdateDeployment, { account, deployment, context: 256 });
  await until('gateways use the new one', () => rig.gateway.deployment(deployment)?.rev === 2, PATIENCE_MS);
  expect(rig.gateway.deployment(deployment)).toMatchObject({ state: 'ready', context: 256 });
  await until(
    'only the new one is left',
    async () => (await rig.ask(FindDeployment, { account, deployment })).running.map(({ rev }) => rev).join() === '2',
    PATIENCE_MS,
  );
  const seen = rig.gateway.states.get(deployment)!;
  expect(seen.slice(seen.indexOf('ready'))).toEqual(['ready']);
  expect(worker.output).not.toContain('placement.failed');
});
