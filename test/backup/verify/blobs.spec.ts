import { execFileSync } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type AccountId,
  type AdapterId,
  type DatasetId,
  DeleteDataset,
  DownloadDataset,
  ExportAdapter,
  ReadExamples,
} from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Run, runCli } from '../../cli/cli-rig.js';
import { ENV } from '../../services/bus.js';
import { until } from '../../testing/until.js';
import { checked, conversations, DoorClient, sha256Of, uploadFile } from '../../tuning/bytes.js';
import { JobsStage } from '../../tuning/jobs-stage.js';
import { anAccount, SECRET_KEY, TuningRig } from '../../tuning/rig.js';

const SECRETS = { KEY_PEPPERS: `p1:${'ab'.repeat(32)}`, SLIPWAY_SECRET_KEY: SECRET_KEY };

let postgres: TestPostgres;
let rig: TuningRig;
let stage: JobsStage;

const slipway = (environment: object, ...args: string[]): Promise<Run> =>
  runCli(args, { environment: { SLIPWAY_ENV: ENV, ...SECRETS, ...environment } });

beforeAll(async () => {
  postgres = await startTestPostgres();
  rig = await TuningRig.open(postgres);
  stage = new JobsStage(rig);
});
afterAll(async () => {
  stage?.end();
  await rig?.close();
  await postgres?.stop();
});

const fetched = async (path: string): Promise<string> =>
  sha256Of(Buffer.from(await (await fetch(await new DoorClient(rig).url(path))).arrayBuffer()));

async function original(account: AccountId, dataset: DatasetId, version: number): Promise<string> {
  return fetched((await rig.ask(DownloadDataset, { account, dataset, version, what: 'original' })).path);
}

async function forms(account: AccountId, adapter: AdapterId): Promise<string[]> {
  const paths = (['gguf', 'peft'] as const).map(async (form) => (await rig.ask(ExportAdapter, { account, adapter, form })).path);
  return Promise.all((await Promise.all(paths)).map(fetched));
}

/** A data set with one version of a file. */
async function dataSet(account: AccountId, name: string, text: string): Promise<{ dataset: DatasetId; version: number }> {
  const dataset = await rig.createDataset(account, name);
  const version = await uploadFile(rig, { account, dataset, text });
  expect(await checked(rig, account, dataset, version)).toMatchObject({ state: 'ready' });
  return { dataset, version };
}

async function trained(account: AccountId, dataset: DatasetId): Promise<AdapterId> {
  const trainer = await stage.trainer();
  const job = await stage.job({ account, dataset });
  const item = await stage.given(trainer, job);
  await trainer.report(item, { state: 'running', steps: 20 });
  await trainer.report(item, { state: 'finishing' });
  await trainer.report(item, { state: 'succeeded', ...(await trainer.result(item)) });
  return (await stage.seen(account, job, 'succeeded')).adapter!;
}

/** Copies the files that an archive refers to, as docs/operations/databases.md says. @returns how many */
async function copyBlobs(archive: string, from: string, to: string): Promise<number> {
  const listed = `tar -xOf "$1" --wildcards 'tuning/blobs/*' | zcat`;
  const names = execFileSync('sh', ['-c', listed, 'sh', archive], { encoding: 'utf8' }).split('\n').filter(Boolean);
  for (const name of names) {
    await mkdir(dirname(join(to, name)), { recursive: true });
    await copyFile(join(from, name), join(to, name));
  }
  return names.length;
}

describe('a backup with the files of the blob store', () => {
  it('brings data sets and adapters back elsewhere', async () => {
    const service = await rig.startProcess();
    const account = anAccount();
    const texts = [conversations(40), conversations(20_000), conversations(25, (n) => `Gone ${n}`)];
    const [small, large, gone] = [
      await dataSet(account, 'small', texts[0]!),
      await dataSet(account, 'large', texts[1]!),
      await dataSet(account, 'gone', texts[2]!),
    ];
    const adapter = await trained(account, small.dataset);
    const adapterForms = await forms(account, adapter);

    let isOver = false;
    let uploads = 0;
    const busy = await rig.createDataset(account, 'busy');
    const load = (async () => {
      for (; !isOver; uploads += 1) await uploadFile(rig, { account, dataset: busy, text: conversations(20, (n) => `${uploads} ${n}`) });
    })();
    await until('files come', () => uploads > 2);
    const archive = join(rig.folder, 'backup.tar');
    const backup = await slipway({ TUNING_DATABASE_URL: rig.databaseUrl }, 'backup', archive);
    isOver = true;
    await load;
    expect(backup).toMatchObject({ code: 0 });
    // Its files stay for BLOB_KEEP_HOURS: the copy may come later.
    await rig.ask(DeleteDataset, { account, dataset: gone.dataset });
    const blobs = join(rig.folder, 'copied');
    expect(await copyBlobs(archive, join(rig.folder, 'blobs'), blobs)).toBeGreaterThanOrEqual(8);
    await service.stop();

    const target = await postgres.createDatabase();
    const restored = await slipway({ TUNING_DATABASE_URL: target }, 'restore', archive);
    expect([restored.code, restored.stderr]).toEqual([0, expect.any(String)]);
    await rig.startProcess({ TUNING_DATABASE_URL: target, BLOB_DIR: blobs });
    for (const [n, { dataset, version }] of [small, large, gone].entries())
      expect(await original(account, dataset, version)).toBe(sha256Of(texts[n]!));
    const { examples } = await rig.ask(ReadExamples, { account, dataset: large.dataset, version: 1, from: 19_999, limit: 1 });
    expect(examples[0]?.json).toContain('Question 19998');
    expect(await forms(account, adapter)).toEqual(adapterForms);
    const next = await uploadFile(rig, { account, dataset: small.dataset, text: conversations(30) });
    expect(await checked(rig, account, small.dataset, next)).toMatchObject({ state: 'ready', examples: 30 });
  }, 240_000);
});
