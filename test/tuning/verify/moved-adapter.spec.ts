import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AccountId,
  type AdapterId,
  CreateDeployment,
  type DeploymentId,
  type DeploymentView,
  ExportAdapter,
  FindAdapter,
  FindAdapterImport,
  ImportAdapter,
  ListDeployments,
  OpenBlob,
  type UploadId,
} from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import { type RunningService, startService } from '@slipway/platform/service';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLoraGguf } from '../../../apps/training-worker/src/results/lora-gguf.js';
import { writeForms } from '../../../apps/training-worker/src/results/adapter-forms.js';
import { trainingWorker } from '../../../apps/training-worker/src/training-worker.js';
import { AdapterMaker, type WitnessedAdapter } from '../../adapters/witnessed-adapter.js';
import { RealWorker } from '../../deployments/real-worker.js';
import { DEMO_MODEL } from '../../engines/demo-engine.js';
import { ENV } from '../../services/bus.js';
import { deploymentsDatabase } from '../../services/migrated.js';
import { ServiceInProcess } from '../../services/service-in-process.js';
import { until } from '../../testing/until.js';
import { answersWith } from '../../training/training-stage.js';
import { DoorClient } from '../bytes.js';
import { BASE, type FakeTrainer } from '../fake-trainer.js';
import { JobsStage } from '../jobs-stage.js';
import { SECRET_KEY, TuningRig } from '../rig.js';

const MODELS = join(DEMO_MODEL, '..');
const LONG_MS = 120_000;
const QUESTIONS = [
  ...[
    'Hello',
    'Who are you?',
    'What is 2 + 3?',
    'What is 7 - 4?',
    'List three animals.',
    'Name a colour.',
    'What is the capital of France?',
  ],
  ...['Say hi.', 'Count to five.', 'Write a haiku.', 'What day is it?', 'Tell me a joke.', 'Translate "yes" to German.', 'Is water wet?'],
  ...['Who wrote Faust?', 'Spell "cat".', 'What is a llama?', 'Thank you.', 'Goodbye.', 'What is the release codename?'],
];
const HERE = 601 as AccountId;
const THERE = 77 as AccountId;

let postgres: TestPostgres;
/** Where the adapter was made, and the fresh one that gets it. */
let here: TuningRig;
let there: TuningRig;
let stage: JobsStage;
let maker: AdapterMaker;
let made: WitnessedAdapter;
let deployments: ServiceInProcess | undefined;
let trainer: RunningService | undefined;
let worker: RealWorker | undefined;

beforeAll(async () => {
  postgres = await startTestPostgres();
  [here, there] = [await TuningRig.open(postgres), await TuningRig.open(postgres)];
  await Promise.all([here.startReplica(), there.startReplica()]);
  maker = await AdapterMaker.open(DEMO_MODEL, here.folder);
  made = await maker.make({ seed: 5 });
  stage = new JobsStage(here);
  const nats = { SLIPWAY_ENV: ENV, NATS_URL: there.bus.url, NATS_CREDENTIALS_DIR: there.bus.credentialsDir };
  const folders = { MODEL_DIRS: MODELS, TRAINING_DIR: join(there.folder, 'training'), TRAINERS_DIR: join(there.folder, 'trainers') };
  trainer = await startService(trainingWorker, { ...nats, ...folders, LOG_LEVEL: 'error' });
  const settings = { LOG_LEVEL: 'info', SLIPWAY_SECRET_KEY: SECRET_KEY, MODEL_DIRS: MODELS };
  const database = await deploymentsDatabase(postgres);
  deployments = await new ServiceInProcess('deployments-service', there.bus, { ...settings, DEPLOYMENTS_DATABASE_URL: database }).ready();
  worker = new RealWorker(there.folder, { ...nats, MODEL_DIRS: MODELS, MODEL_CACHE_DIR: join(there.folder, 'cache') });
});
afterAll(async () => {
  await worker?.end();
  await trainer?.stop();
  await deployments?.end();
  stage?.end();
  await maker?.close();
  await Promise.all([here?.close(), there?.close()]);
  await postgres.stop();
});

/** Has a job end with the adapter, in both forms. */
async function trained(fake: FakeTrainer): Promise<AdapterId> {
  const job = await stage.job(await stage.dataset(HERE, 'support'), { name: 'support' });
  const item = await stage.given(fake, job);
  await fake.report(item, { state: 'running', steps: 20 });
  await fake.report(item, { state: 'finishing' });
  const { adapter, ...rest } = await fake.result(item);
  const forms = await writeForms(join(here.folder, 'forms'), await readLoraGguf(made.path), DEMO_MODEL);
  const { base_sha256, template_sha256, tokenizer_sha256 } = made.facts;
  const stored = { gguf: await fake.store(item, made.content), peft: await fake.store(item, await readFile(forms.peft)) };
  const facts = { rank: forms.rank, alpha: forms.alpha, modules: [...forms.modules], base_sha256, template_sha256, tokenizer_sha256 };
  await fake.report(item, { state: 'succeeded', ...rest, adapter: { ...adapter!, ...stored, ...facts } });
  return (await stage.seen(HERE, job, 'succeeded')).adapter!;
}

async function exported(adapter: AdapterId, form: 'peft' | 'gguf'): Promise<Buffer> {
  const { path } = await here.ask(ExportAdapter, { account: HERE, adapter, form });
  return Buffer.from(await (await fetch(await new DoorClient(here).url(path))).arrayBuffer());
}

async function imported(file: Buffer, name: string): Promise<AdapterId> {
  const { upload, path } = await there.ask(ImportAdapter, { account: THERE, name, bytes: file.length });
  expect((await new DoorClient(there).put(path, file)).status).toBe(201);
  return over(upload);
}

/** Waits until an import is over. */
async function over(upload: UploadId): Promise<AdapterId> {
  const seen = await until(
    'the adapter was checked',
    async () => {
      const { import: one } = await there.ask(FindAdapterImport, { account: THERE, upload });
      return (one.state === 'ready' || one.state === 'failed') && one;
    },
    LONG_MS,
  );
  expect(seen).toMatchObject({ state: 'ready', detail: null });
  return seen.adapter!;
}

const ready = (id: DeploymentId): Promise<DeploymentView> =>
  until(
    'it is served',
    async () => {
      const view = (await there.ask(ListDeployments, { account: THERE })).deployments.find((one) => one.id === id);
      if (view?.state === 'failed') throw new Error(`The deployment failed: ${view.reason} ${view.detail}`);
      return view?.state === 'ready' && view;
    },
    LONG_MS,
  );

describe('an adapter that is exported here and imported there', () => {
  it('answers the same, and is served by its witness, whatever its form', async () => {
    const { base_sha256: sha256, template_sha256, tokenizer_sha256 } = made.facts;
    const fake = await stage.trainer({ bases: [{ ...BASE, path: DEMO_MODEL, sha256, template_sha256, tokenizer_sha256 }] });
    const adapter = await trained(fake);
    const answers = await answersWith(made.path, QUESTIONS);
    expect(answers).not.toEqual(await answersWith(null, QUESTIONS));
    for (const form of ['gguf', 'peft'] as const) {
      const id = await imported(await exported(adapter, form), `from-${form}`);
      const { adapter: view } = await there.ask(FindAdapter, { account: THERE, adapter: id });
      // Its base has another name there: the card's SHA-256 found it.
      expect(view).toMatchObject({ base: 'svc-tiny.q8_0', base_sha256: sha256, rank: 4, alpha: 4, job: null, verdict: null });
      expect(view.witness_distance).toBeGreaterThan(0.02);
      const path = join(there.folder, `${form}.gguf`);
      await writeFile(path, await bytesOf(id));
      expect(await answersWith(path, QUESTIONS)).toEqual(answers);
      const { id: deployment } = await there.ask(CreateDeployment, { account: THERE, name: form, adapter: { id }, context: 512 });
      expect((await ready(deployment)).adapter).toMatchObject({ id, name: `from-${form}` });
    }
  }, 300_000);

  it('is refused where it is pickled, or its numbers are none', async () => {
    const pickled = Buffer.concat([Buffer.from([0x80, 2]), Buffer.alloc(600)]);
    const broken = Buffer.from(made.content);
    broken.writeUInt32LE(0x7fc00000, broken.length - 4);
    for (const [file, reason] of [
      [pickled, 'pickle'],
      [broken, 'adapter_mismatch'],
    ] as const) {
      const { upload, path } = await there.ask(ImportAdapter, { account: THERE, name: 'bad', base: 'svc-tiny.q8_0' });
      expect((await new DoorClient(there).put(path, file)).status).toBe(201);
      await until(
        'it is refused',
        async () => (await there.ask(FindAdapterImport, { account: THERE, upload })).import.reason === reason,
        LONG_MS,
      );
    }
  }, 300_000);
});

/** The GGUF form as workers fetch it. */
async function bytesOf(adapter: AdapterId): Promise<Buffer> {
  const nats = await there.connect('trainer');
  const { url } = await new RpcClient(nats, ENV).call(OpenBlob, { blob: { of: 'adapter', account: THERE, adapter, form: 'gguf' } });
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}
