import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import {
  type AccountId,
  type AdapterId,
  CreateDeployment,
  DeleteAdapter,
  DeleteDeployment,
  type DeploymentId,
  type DeploymentView,
  ListDeployments,
  StopDeployment,
} from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RealWorker } from '../deployments/real-worker.js';
import { ENV } from '../services/bus.js';
import { deploymentsDatabase } from '../services/migrated.js';
import { ServiceInProcess } from '../services/service-in-process.js';
import type { TestService } from '../services/test-service.js';
import { until } from '../testing/until.js';
import { BASE, type FakeTrainer } from '../tuning/fake-trainer.js';
import { JobsStage } from '../tuning/jobs-stage.js';
import { SECRET_KEY, TuningRig } from '../tuning/rig.js';
import { AdapterEngine } from './adapter-engine.js';
import { untrainedAdapter } from './untrained-adapter.js';
import { AdapterMaker, type WitnessedAdapter } from './witnessed-adapter.js';

const MODELS = fileURLToPath(new URL('../../models', import.meta.url));
const MODEL = join(MODELS, 'svc-tiny.Q8_0.gguf');

let postgres: TestPostgres;
let rig: TuningRig;
let stage: JobsStage;
let trainer: FakeTrainer;
let maker: AdapterMaker;
let deployments: TestService | undefined;
let worker: RealWorker | undefined;
let [one, two]: WitnessedAdapter[] = [];
let engine: AdapterEngine;

beforeAll(async () => {
  postgres = await startTestPostgres();
  rig = await TuningRig.open(postgres);
  await rig.startReplica();
  maker = await AdapterMaker.open(MODEL, rig.folder);
  [one, two] = [await maker.make({ seed: 1 }), await maker.make({ seed: 2 })];
  const { base_sha256, template_sha256, tokenizer_sha256 } = one.facts;
  stage = new JobsStage(rig);
  trainer = await stage.trainer({ bases: [{ ...BASE, path: MODEL, sha256: base_sha256, template_sha256, tokenizer_sha256 }] });
  engine = await new AdapterEngine('vllm').start();
  const hosts = { ENGINE_HOSTS: new URL(engine.url).host };
  const settings = { LOG_LEVEL: 'info', SLIPWAY_SECRET_KEY: SECRET_KEY, MODEL_DIRS: MODELS, ...hosts };
  const database = await deploymentsDatabase(postgres);
  deployments = new ServiceInProcess('deployments-service', rig.bus, { ...settings, DEPLOYMENTS_DATABASE_URL: database });
  await deployments.ready();
  worker = new RealWorker(rig.folder, {
    ...{ SLIPWAY_ENV: ENV, NATS_URL: rig.bus.url, NATS_CREDENTIALS_DIR: rig.bus.credentialsDir },
    ...{ MODEL_DIRS: MODELS, MODEL_CACHE_DIR: join(rig.folder, 'cache'), UNLOAD_GRACE_MS: '1000' },
    ...{ ...hosts, ADAPTER_EXPORT_DIR: join(rig.folder, 'exports') },
  });
});
afterAll(async () => {
  await worker?.end();
  await engine?.stop();
  await deployments?.end();
  stage?.end();
  await maker?.close();
  await rig?.close();
  await postgres.stop();
});

/** Has a job end with these bytes and this witness; the adapter's number. */
async function trained(
  account: AccountId,
  name: string,
  { content, archive }: Pick<WitnessedAdapter, 'content'> & { readonly archive?: Buffer },
  { facts, distance }: WitnessedAdapter,
): Promise<AdapterId> {
  const given = await stage.dataset(account, name);
  const job = await stage.job(given, { name });
  const item = await stage.given(trainer, job);
  await trainer.report(item, { state: 'running', steps: 20 });
  await trainer.report(item, { state: 'finishing' });
  const { adapter, ...rest } = await trainer.result(item);
  const answers = facts.witness.map(({ prompt, answer, logprobs }) => ({ prompt, answer, adapter: logprobs, base: logprobs }));
  const { base_sha256, template_sha256, tokenizer_sha256 } = facts;
  const peft = archive && { peft: await trainer.store(item, archive) };
  const real = {
    ...{
      gguf: await trainer.store(item, content),
      ...peft,
      base_sha256,
      template_sha256,
      tokenizer_sha256,
      witness: { answers, distance },
    },
  };
  await trainer.report(item, { state: 'succeeded', ...rest, adapter: { ...adapter!, ...real } });
  return (await stage.seen(account, job, 'succeeded')).adapter!;
}

async function seen(account: AccountId, id: DeploymentId, state: string): Promise<DeploymentView> {
  return until(
    `deployment ${id} is ${state}`,
    async () => {
      const view = (await rig.ask(ListDeployments, { account })).deployments.find((one) => one.id === id);
      return view?.state === state && view;
    },
    90_000,
  );
}

it('a trained adapter is served, and kept while it is', async () => {
  const account = 501 as AccountId;
  const adapter = await trained(account, 'right', one!, one!);
  const { id: deployment } = await rig.ask(CreateDeployment, { account, name: 'right', adapter: { id: adapter }, context: 512 });
  expect(await seen(account, deployment, 'ready')).toMatchObject({
    adapter: { id: adapter, name: 'right', version: 1, sha256: one!.facts.sha256 },
    source: { kind: 'file', path: MODEL },
  });
  expect((await rig.outcome(DeleteAdapter, { account, adapter })).code).toBe('adapter_in_use');
  await rig.ask(StopDeployment, { account, deployment });
  await seen(account, deployment, 'stopped');
  await rig.ask(DeleteDeployment, { account, deployment });
  await until('the adapter can be deleted', async () => (await rig.outcome(DeleteAdapter, { account, adapter })).code === undefined);
});

it('an adapter that was stored under another is never ready', async () => {
  const account = 502 as AccountId;
  const adapter = await trained(account, 'wrong', two!, one!);
  const { id } = await rig.ask(CreateDeployment, { account, name: 'wrong', adapter: { id: adapter }, context: 512 });
  const { reason, detail } = await seen(account, id, 'failed');
  expect([reason, detail]).toEqual(['witness_failed', expect.stringMatching(/\d\.\d{4} away/)]);
});

it('a trained adapter is served by an HTTP engine, which forgets it afterwards', async () => {
  const account = 503 as AccountId;
  const { weights, peft } = untrainedAdapter(9);
  engine.teach(weights, one!, 'the tuned answer');
  const adapter = await trained(account, 'elsewhere', { content: one!.content, archive: peft }, one!);
  const source = { kind: 'http', url: engine.url, model: engine.model } as const;
  const { id: deployment } = await rig.ask(CreateDeployment, { account, name: 'elsewhere', adapter: { id: adapter }, source });
  expect(await seen(account, deployment, 'ready')).toMatchObject({ adapter: { id: adapter }, source });
  expect(engine.loaded).toEqual([one!.facts.sha256]);
  expect((await rig.outcome(DeleteAdapter, { account, adapter })).code).toBe('adapter_in_use');
  await rig.ask(StopDeployment, { account, deployment });
  await seen(account, deployment, 'stopped');
  await until('the engine has forgotten it', async () => engine.loaded.length === 0);
});
