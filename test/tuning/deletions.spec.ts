import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AccountId,
  type AdapterId,
  type DatasetId,
  DeleteAdapter,
  DeleteDataset,
  ExportAdapter,
  FindAdapter,
  FindTuningUse,
  isServiceError,
  OpenBlob,
  ReportAdapterUse,
  ServeAdapter,
} from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENV } from '../services/bus.js';
import type { TestService } from '../services/test-service.js';
import { until } from '../testing/until.js';
import { BASE, type FakeTrainer } from './fake-trainer.js';
import { JobsStage } from './jobs-stage.js';
import { TuningRig } from './rig.js';

const KEPT = { BLOB_KEEP_HOURS: '0' };

let postgres: TestPostgres;
let rig: TuningRig;
let service: TestService;
let stage: JobsStage;
let trainer: FakeTrainer;
let deployments: RpcClient;

beforeAll(async () => {
  postgres = await startTestPostgres();
  rig = await TuningRig.open(postgres);
  service = await rig.startReplica();
  stage = new JobsStage(rig);
  trainer = await stage.trainer();
  deployments = new RpcClient(await rig.connect('deployments'), ENV);
});
afterAll(async () => {
  stage?.end();
  await rig?.close();
  await postgres.stop();
});

/** A data set, and the adapter that a job made of it. */
async function trained(): Promise<{ account: AccountId; dataset: DatasetId; adapter: AdapterId }> {
  const given = await stage.dataset();
  const job = await stage.job(given);
  const item = await stage.given(trainer, job);
  expect((await rig.outcome(DeleteDataset, given)).code).toBe('dataset_in_use');
  await trainer.succeed(item);
  const { adapter } = await stage.seen(given.account, job, 'succeeded');
  return { ...given, adapter: adapter! };
}

const view = async (account: AccountId, adapter: AdapterId) => (await rig.ask(FindAdapter, { account, adapter })).adapter;

/** Why an adapter cannot be deleted. */
const refusal = (account: AccountId, adapter: AdapterId): Promise<string> =>
  rig.rpc.call(DeleteAdapter, { account, adapter }).then(
    () => 'deleted',
    (error: unknown) => (isServiceError(error) ? `${error.code}: ${error.message}` : String(error)),
  );

const files = async (account: AccountId): Promise<number> =>
  (await readdir(join(rig.folder, 'blobs', String(account)), { recursive: true, withFileTypes: true })).filter((one) => one.isFile())
    .length;

describe('a deleted data set', () => {
  it('leaves adapters that say so and can be served', async () => {
    const { account, dataset, adapter } = await trained();
    await rig.ask(DeleteDataset, { account, dataset });
    expect(await view(account, adapter)).toMatchObject({ source_deleted: true, dataset_name: 'support', dataset_version: 1 });
    expect(await deployments.call(ServeAdapter, { account, adapter })).toMatchObject({ base_sha256: BASE.sha256 });
    expect((await rig.ask(ExportAdapter, { account, adapter, form: 'peft' })).name).toBe('support-v1-peft.tar');
  });
});

describe('an adapter', () => {
  it('stays while a deployment names it, or is being made', async () => {
    const { account, adapter } = await trained();
    await deployments.call(ServeAdapter, { account, adapter });
    expect(await refusal(account, adapter)).toMatch(/^adapter_in_use: A deployment of this adapter is being made/);
    // A report that was on its way when the deployment asked knows nothing of it.
    await deployments.call(ReportAdapterUse, { account, adapter, deployments: [] });
    expect(await refusal(account, adapter)).toMatch(/being made/);
    await deployments.call(ReportAdapterUse, { account, adapter, deployments: [7, 42] as never });
    expect(await refusal(account, adapter)).toMatch(/^adapter_in_use: .*deployment-7, deployment-42\./);
    await deployments.call(ReportAdapterUse, { account, adapter, deployments: [] });
    expect(await refusal(account, adapter)).toBe('deleted');
  });

  it('is not held for ever by a deployment that was not made', async () => {
    const { account, adapter } = await trained();
    await deployments.call(ServeAdapter, { account, adapter });
    await until('it can be deleted', async () => (await refusal(account, adapter)) === 'deleted', 30_000);
  });

  it('says whether its base is still there', async () => {
    const { account, adapter } = await trained();
    const state = async (): Promise<unknown> => (await view(account, adapter)).base_state;
    expect(await state()).toBe('there');
    trainer.facts = { bases: [{ ...BASE, sha256: 'f'.repeat(64) }] };
    await until('its file was replaced', async () => (await state()) === 'changed');
    trainer.facts = { bases: [] };
    await until('its file is gone', async () => (await state()) === 'absent');
    trainer.facts = {};
    await until('it is back', async () => (await state()) === 'there');
  });

  it('is gone from the disk once its time is over', async () => {
    const { account, dataset, adapter } = await trained();
    const before = await files(account);
    expect(await refusal(account, adapter)).toBe('deleted');
    await expect(trainer.rpc.call(OpenBlob, { blob: { of: 'adapter', account, adapter, form: 'gguf' } })).rejects.toMatchObject({
      code: 'blob_not_found',
    });
    const running = await stage.dataset();
    const item = await stage.given(trainer, await stage.job(running));
    await trainer.store(item);
    const stored = await files(running.account);
    // Each replica that is elected tidies first.
    await service.stop();
    service = await rig.startReplica(KEPT);
    await until('both forms are removed', async () => (await files(account)) <= before - 2);
    expect(await files(running.account), 'of a report that is still to come').toBe(stored);
    await rig.ask(DeleteDataset, { account, dataset });
    expect((await rig.ask(FindTuningUse, { account })).used).toMatchObject({ adapters: 0, datasets: 0, bytes: 0 });
  });
});
