import { join } from 'node:path';
import { ReadExamples } from '@slipway/contracts';
import { createLogger } from '@slipway/platform';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { S3Driver } from '../../../apps/tuning-service/src/blobs/s3-driver.js';
import { type Run, runCli } from '../../cli/cli-rig.js';
import { ENV } from '../../services/bus.js';
import { checked, conversations, sha256Of, uploadFile } from '../../tuning/bytes.js';
import { JobsStage } from '../../tuning/jobs-stage.js';
import { anAccount, SECRET_KEY, TuningRig } from '../../tuning/rig.js';
import { S3_NEEDED, S3_PROGRAM, S3Server } from '../../tuning/s3-server.js';
import { blobsOf, TunedFiles } from '../tuned-files.js';

const SECRETS = { KEY_PEPPERS: `p1:${'ab'.repeat(32)}`, SLIPWAY_SECRET_KEY: SECRET_KEY };
const [HERE, ELSEWHERE] = ['slipway-here/prod', 'slipway-elsewhere/restored'] as const;

let postgres: TestPostgres;
let server: S3Server;
let rig: TuningRig;
let stage: JobsStage;

const slipway = (environment: object, ...args: string[]): Promise<Run> =>
  runCli(args, { environment: { SLIPWAY_ENV: ENV, ...SECRETS, ...environment } });

/** Copies the files that an archive refers to into another bucket, as docs/operations/databases.md says. @returns how many */
async function copyBlobs(archive: string): Promise<number> {
  for (const [name, value] of Object.entries(server.settings(HERE))) vi.stubEnv(name, value);
  const driver = (place: string): S3Driver => new S3Driver(`s3://${place}`, join(rig.folder, 'copy'), createLogger('test', 'silent'));
  const [from, to] = [driver(HERE), driver(ELSEWHERE)];
  const names = blobsOf(archive);
  for (const name of names) await to.put(name, (await from.local(name)).path);
  vi.unstubAllEnvs();
  return names.length;
}

describe.skipIf(S3_PROGRAM === null)(`a backup with blobs in S3 (${S3_NEEDED})`, () => {
  beforeAll(async () => {
    postgres = await startTestPostgres();
    server = await S3Server.open('slipway-here', 'slipway-elsewhere');
    rig = await TuningRig.open(postgres);
    stage = new JobsStage(rig);
  });
  afterAll(async () => {
    stage?.end();
    await rig?.close();
    await server?.close();
    await postgres?.stop();
  });

  it('brings data sets and adapters back from another bucket', async () => {
    const service = await rig.startProcess(server.settings(HERE));
    const account = anAccount();
    const files = new TunedFiles(rig, stage, account);
    const texts = [conversations(40), conversations(20_000)] as const;
    const [small, large] = [await files.dataSet('small', texts[0]), await files.dataSet('large', texts[1])];
    const adapter = await files.trained(small.dataset);
    const adapterForms = await files.forms(adapter);
    const archive = join(rig.folder, 'backup.tar');
    expect(await slipway({ TUNING_DATABASE_URL: rig.databaseUrl }, 'backup', archive)).toMatchObject({ code: 0 });
    expect(await copyBlobs(archive)).toBeGreaterThanOrEqual(6);
    await service.stop();

    const target = await postgres.createDatabase();
    const restored = await slipway({ TUNING_DATABASE_URL: target }, 'restore', archive);
    expect([restored.code, restored.stderr]).toEqual([0, expect.any(String)]);
    await rig.startProcess({ TUNING_DATABASE_URL: target, ...server.settings(ELSEWHERE) });
    expect([await files.original(small), await files.original(large)]).toEqual(texts.map(sha256Of));
    const { examples } = await rig.ask(ReadExamples, { account, dataset: large.dataset, version: 1, from: 19_999, limit: 1 });
    expect(examples[0]?.json).toContain('Question 19998');
    expect(await files.forms(adapter)).toEqual(adapterForms);
    const before = (await server.stored('slipway-here')).length;
    const next = await uploadFile(rig, { account, dataset: small.dataset, text: conversations(30) });
    expect(await checked(rig, account, small.dataset, next)).toMatchObject({ state: 'ready', examples: 30 });
    expect((await server.stored('slipway-here')).length).toBe(before);
  }, 240_000);
});
