import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DeleteDataset, ReadExamples } from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Run, runCli } from '../../cli/cli-rig.js';
import { ENV } from '../../services/bus.js';
import { until } from '../../testing/until.js';
import { checked, conversations, sha256Of, uploadFile } from '../../tuning/bytes.js';
import { JobsStage } from '../../tuning/jobs-stage.js';
import { anAccount, SECRET_KEY, TuningRig } from '../../tuning/rig.js';
import { blobsOf, TunedFiles } from '../tuned-files.js';

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

/** Copies the files that an archive refers to, as docs/operations/databases.md says. @returns how many */
async function copyBlobs(archive: string, from: string, to: string): Promise<number> {
  const names = blobsOf(archive);
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
    const files = new TunedFiles(rig, stage, account);
    const texts = [conversations(40), conversations(20_000), conversations(25, (n) => `Gone ${n}`)];
    const [small, large, gone] = [
      await files.dataSet('small', texts[0]!),
      await files.dataSet('large', texts[1]!),
      await files.dataSet('gone', texts[2]!),
    ];
    const adapter = await files.trained(small.dataset);
    const adapterForms = await files.forms(adapter);

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
    for (const [n, one] of [small, large, gone].entries()) expect(await files.original(one)).toBe(sha256Of(texts[n]!));
    const { examples } = await rig.ask(ReadExamples, { account, dataset: large.dataset, version: 1, from: 19_999, limit: 1 });
    expect(examples[0]?.json).toContain('Question 19998');
    expect(await files.forms(adapter)).toEqual(adapterForms);
    const next = await uploadFile(rig, { account, dataset: small.dataset, text: conversations(30) });
    expect(await checked(rig, account, small.dataset, next)).toMatchObject({ state: 'ready', examples: 30 });
  }, 240_000);
});
