import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { DeleteDataset, DownloadDataset, OpenUpload, ReadExamples } from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { checked, conversations, DoorClient, sha256Of, uploadFile } from '../bytes.js';
import { anAccount, TuningRig } from '../rig.js';
import { S3_KEYS, S3_NEEDED, S3_PROGRAM, S3Server } from '../s3-server.js';

const BUCKET = 'slipway-blobs';

let postgres: TestPostgres;
let rig: TuningRig;
let server: S3Server;

const settings = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  ...server.settings(`${BUCKET}/prod`),
  BLOB_KEEP_HOURS: '0',
  ...more,
});
const stored = (): Promise<string[]> => server.stored(BUCKET);

const made = async (): Promise<{ account: ReturnType<typeof anAccount>; dataset: Awaited<ReturnType<TuningRig['createDataset']>> }> => {
  const account = anAccount();
  return { account, dataset: await rig.createDataset(account) };
};

describe.skipIf(S3_PROGRAM === null)(`blobs in S3 (${S3_NEEDED})`, () => {
  beforeAll(async () => {
    postgres = await startTestPostgres();
  });
  afterAll(() => postgres?.stop());

  beforeEach(async () => {
    server = await S3Server.open(BUCKET);
    rig = await TuningRig.open(postgres);
  });
  afterEach(async () => {
    await rig.close();
    await server.close();
  });

  it('are put, read in parts, checked and removed', async () => {
    const service = await rig.startProcess(settings());
    const { account, dataset } = await made();
    // Above the size of a part.
    const text = conversations(150_000, (n) => `${n} ${randomBytes(60).toString('hex')}`);
    expect(text.length).toBeGreaterThan(20 * 2 ** 20);
    const version = await uploadFile(rig, { account, dataset, text });
    expect(await checked(rig, account, dataset, version)).toMatchObject({ state: 'ready', examples: 150_000 });
    const { examples } = await rig.ask(ReadExamples, { account, dataset, version, from: 149_000, limit: 1 });
    expect(examples[0]?.json).toContain('Question 148999');
    const { path } = await rig.ask(DownloadDataset, { account, dataset, version, what: 'original' });
    const saved = Buffer.from(await (await fetch(await new DoorClient(rig).url(path))).arrayBuffer());
    expect(sha256Of(saved)).toBe(sha256Of(text));
    const files = await stored();
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const file of files) expect((await readFile(file)).includes('Question')).toBe(false);
    await rig.ask(DeleteDataset, { account, dataset });
    // Each replica that is elected tidies first.
    await service.stop();
    await rig.startProcess(settings());
    // A folder may go while it is read.
    await until('the files are removed', async () => (await stored().catch(() => null))?.length === 0);
  });

  it('wait for a server that is away', async () => {
    const service = await rig.startProcess(settings());
    const { account, dataset } = await made();
    const first = await uploadFile(rig, { account, dataset, text: conversations(20) });
    await checked(rig, account, dataset, first);
    await server.stop();
    const { path } = await rig.ask(OpenUpload, { account, dataset });
    const refused = await new DoorClient(rig).put(path, conversations(30));
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('blob store') as string]);
    expect((await rig.outcome(ReadExamples, { account, dataset, version: first, from: 1, limit: 1 })).code).toBe('unavailable');
    await server.start();
    // What had come is there still: the repeated request takes its place.
    expect((await new DoorClient(rig).put(path, conversations(30))).status).toBe(201);
    expect(await checked(rig, account, dataset, 2)).toMatchObject({ state: 'ready', examples: 30 });
    expect(await service.lastWords()).not.toContain(S3_KEYS.AWS_SECRET_ACCESS_KEY);
  });

  it('are refused with the wrong credentials, which reach no log', async () => {
    const wrong = { AWS_SECRET_ACCESS_KEY: 'a-wrong-secret-of-the-test' };
    const service = await rig.startProcess(settings(wrong));
    const { account, dataset } = await made();
    const { path } = await rig.ask(OpenUpload, { account, dataset });
    expect((await new DoorClient(rig).put(path, conversations(20))).status).toBe(503);
    const output = await service.lastWords();
    expect(output).toContain('"event":"blobs.store_failed"');
    for (const secret of [wrong.AWS_SECRET_ACCESS_KEY, 'Signature=', 'StringToSign']) expect(output).not.toContain(secret);
    expect(await stored()).toEqual([]);
  });
});
