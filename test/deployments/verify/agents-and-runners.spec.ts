import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AccountId, type DeploymentId, type DeploymentView, FindDeployment, UpdateDeployment } from '@slipway/contracts';
import { expect, vi } from 'vitest';
import { until } from '../../testing/until.js';
import { anAccount, type DeploymentsRig, MODEL } from '../rig.js';
import { rigTest } from '../rig-test.js';

/** Bounds a failure: models load in seconds, and tries follow after 2, 4 and 8 s. */
const PATIENCE_MS = 50_000;

// Models load in processes of their own, which take their time on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

/** Each has its own rig: loading models, and waiting for them, side by side. */
const it = rigTest.extend<{ account: AccountId }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the fixture's needs from this pattern
  account: async ({}, use) => use(anAccount()),
});

interface Scene {
  readonly rig: DeploymentsRig;
  readonly account: AccountId;
}

const untilShown = ({ rig, account }: Scene, id: DeploymentId, state: string, reason: string | null = null): Promise<DeploymentView> =>
  rig.seen(account, id, state, reason, PATIENCE_MS);
const serve = (rig: DeploymentsRig) => rig.startReplica({ MODEL_DIRS: `${join(MODEL, '..')},${rig.folder}` });

it.concurrent('deployments of a killed worker move to the next', async ({ rig, account }) => {
  await serve(rig);
  const worker = rig.startWorker();
  const id = await rig.create(account);
  await untilShown({ rig, account }, id, 'ready');
  worker.signal('SIGKILL');
  await untilShown({ rig, account }, id, 'pending', 'no_worker');
  await rig.published(id, 'pending');
  rig.startWorker();
  await untilShown({ rig, account }, id, 'ready');
  await rig.published(id, 'ready');
});

it.concurrent('a missing model is ready once it exists', async ({ rig, account }) => {
  await serve(rig);
  rig.startWorker();
  const path = join(rig.folder, 'late.gguf');
  const id = await rig.create(account, { source: { kind: 'file', path } });
  expect(await untilShown({ rig, account }, id, 'failed', 'model_missing')).toMatchObject({ ready_replicas: 0, serving_rev: null });
  await rig.published(id, 'failed');
  copyFileSync(MODEL, path);
  await untilShown({ rig, account }, id, 'ready');
  await rig.published(id, 'ready');
});

it.concurrent('an update loads the new revision beside the old', async ({ rig, account }) => {
  await serve(rig);
  const worker = rig.startWorker();
  const deployment = await rig.create(account, { context: 512 });
  expect(await untilShown({ rig, account }, deployment, 'ready')).toMatchObject({ serving_rev: 1 });
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
  const said = await worker.lastWords();
  expect(said.split('"event":"placement.ready"')).toHaveLength(3);
  expect(said).not.toContain('placement.failed');
});
