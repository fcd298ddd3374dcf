import {
  type AccountId,
  type AdapterImportView,
  CancelUpload,
  ExportAdapter,
  FindAdapter,
  FindAdapterImport,
  FindUpload,
  ImportAdapter,
  isServiceError,
  ListAdapterImports,
  ListAdapters,
  ListTuningAudit,
  OpenBlob,
  OpenUpload,
  ReportImport,
  SetTuningQuotas,
  type UploadId,
} from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../testing/until.js';
import { DoorClient } from './bytes.js';
import { BASE, type FakeTrainer } from './fake-trainer.js';
import { JobsStage } from './jobs-stage.js';
import { anAccount, TuningRig } from './rig.js';

const GGUF = Buffer.from('GGUF, as far as tuning-service looks');

let postgres: TestPostgres;
let rig: TuningRig;
let stage: JobsStage;
let trainer: FakeTrainer;
let door: DoorClient;

beforeAll(async () => {
  postgres = await startTestPostgres();
  rig = await TuningRig.open(postgres);
  await rig.startReplica();
  stage = new JobsStage(rig);
  trainer = await stage.trainer({ features: ['import'] });
  door = new DoorClient(rig);
  await until('the base is known', async () => (await rig.outcome(ImportAdapter, { account: anAccount(), name: 'x', base: 'tiny' })).reply);
});
afterAll(async () => {
  stage?.end();
  await rig?.close();
  await postgres.stop();
});

/** Uploads a file as an adapter. */
async function sent(account: AccountId, file: Buffer, more: object = {}): Promise<UploadId> {
  const { upload, path } = await rig.ask(ImportAdapter, { account, name: 'given', ...more });
  const answer = await door.put(path, file);
  expect([answer.status, await answer.json()]).toEqual([201, { import: upload, bytes: file.length }]);
  return upload;
}

const view = async (account: AccountId, upload: UploadId): Promise<AdapterImportView> =>
  (await rig.ask(FindAdapterImport, { account, upload })).import;

const given = (upload: UploadId, to: FakeTrainer = trainer) =>
  until('a worker is given the import', () => to.imports().find((item) => item.import === upload));

describe('an adapter from outside', () => {
  it('becomes one that can be served, once a worker has checked it', async () => {
    const account = anAccount();
    const prompts = ['What is the codename?'];
    const upload = await sent(account, GGUF, { base: 'tiny', file_name: 'given.gguf', prompts });
    const item = await given(upload);
    expect(item.prompts).toEqual(prompts);
    expect(item).toMatchObject({ account, base: 'tiny', base_sha256: BASE.sha256, parts: [{ part: 'gguf', from: 0, bytes: GGUF.length }] });
    expect(await view(account, upload)).toMatchObject({ state: 'checking', name: 'given', base: 'tiny', adapter: null });
    const { url } = await trainer.rpc.call(OpenBlob, { blob: { of: 'import', account, import: upload } });
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(GGUF)).toBe(true);
    const adapter = await trainer.accept(item);
    expect(await view(account, upload)).toMatchObject({ state: 'ready', reason: null, adapter });
    const { adapters } = await rig.ask(ListAdapters, { account });
    expect(adapters).toMatchObject([{ id: adapter, name: 'given', version: 1, job: null, dataset: null, base: 'tiny', verdict: null }]);
    expect(adapters[0]?.base_path).toBe(BASE.path);
    // A result that is reported twice, and one that comes late, make no second adapter.
    expect(await trainer.accept(item).catch((error: unknown) => isServiceError(error) && error.code)).toBe('upload_not_found');
    const late = { tw: trainer.tw, account, import: upload, failed: { reason: 'no_effect' as const, detail: 'It does nothing.' } };
    expect(await trainer.rpc.call(ReportImport, late)).toEqual({ adapter });
    await until('it is not assigned any more', () => trainer.imports().length === 0);
    const { entries } = await rig.ask(ListTuningAudit, { account });
    expect(entries).toMatchObject([{ action: 'adapter.import', facts: { base: 'tiny', base_sha256: BASE.sha256 } }]);
  });

  it('is recognised by the base on the card of an export', async () => {
    const account = anAccount();
    const first = await trainer.accept(await given(await sent(account, GGUF, { base: 'tiny' })));
    const { path } = await rig.ask(ExportAdapter, { account, adapter: first as never, form: 'gguf' });
    const exported = Buffer.from(await (await fetch(await door.url(path))).arrayBuffer());
    // In the export lies what the worker stored, which is no GGUF in this test.
    const upload = await sent(account, exported);
    const item = await given(upload);
    expect(item).toMatchObject({ base: 'tiny', base_sha256: BASE.sha256, parts: [{ part: 'gguf', bytes: 1_000 }] });
    const second = await trainer.accept(item);
    expect((await rig.ask(FindAdapter, { account, adapter: second as never })).adapter).toMatchObject({ name: 'given', version: 2 });
  });

  it('that is none, or names no base, fails at once with the reason', async () => {
    const account = anAccount();
    const text = await sent(account, Buffer.from('no adapter'), { base: 'tiny' });
    expect(await view(account, text)).toMatchObject({ state: 'failed', reason: 'not_an_adapter', adapter: null });
    const pickle = await sent(account, Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(800)]), { base: 'tiny' });
    expect(await view(account, pickle)).toMatchObject({
      state: 'failed',
      reason: 'pickle',
      detail: expect.stringContaining('safetensors'),
    });
    const nameless = await sent(account, GGUF);
    expect(await view(account, nameless)).toMatchObject({ state: 'failed', reason: 'base_unknown' });
    expect((await rig.ask(ListAdapterImports, { account })).imports.map(({ upload }) => upload)).toEqual([nameless, pickle, text]);
    expect((await rig.outcome(ImportAdapter, { account, name: 'x', base: 'no-such' })).code).toBe('base_not_found');
  });

  it('that its worker refuses fails with the worker’s words', async () => {
    const account = anAccount();
    const upload = await sent(account, GGUF, { base: 'tiny' });
    await given(upload);
    const failed = { reason: 'adapter_mismatch' as const, detail: 'The base has no tensor blk.9.attn_q.weight.' };
    await trainer.rpc.call(ReportImport, { tw: trainer.tw, account, import: upload, failed });
    expect(await view(account, upload)).toMatchObject({ state: 'failed', ...failed });
    expect((await rig.ask(ListAdapters, { account })).adapters).toEqual([]);
  });

  it('waits for a worker that has its base and knows how', async () => {
    const account = anAccount();
    const sha256 = 'e'.repeat(64);
    const other = await stage.trainer({ bases: [{ ...BASE, base: 'other', sha256 }] });
    const known = await until(
      'its base is known',
      async () => (await rig.outcome(ImportAdapter, { account, name: 'x', base: 'other' })).reply,
    );
    await door.put(known.path, GGUF);
    const waiting = await until('it waits', async () => {
      const found = await view(account, known.upload);
      return found.reason === 'no_worker' && found;
    });
    expect(waiting).toMatchObject({ state: 'waiting', detail: expect.stringContaining(sha256) });
    expect(other.imports()).toEqual([]);
    other.facts = { ...other.facts, features: ['import'] };
    expect(await given(known.upload, other)).toMatchObject({ base: 'other', base_sha256: sha256 });
    await other.accept(await given(known.upload, other));
    other.stop();
  });

  it('is of its account, one upload and one kind alone', async () => {
    const account = anAccount();
    const request = { account, name: 'given', base: 'tiny', idempotency_key: 'i1' };
    const [one, again] = [await rig.ask(ImportAdapter, request), await rig.ask(ImportAdapter, request)];
    expect(again.upload).toBe(one.upload);
    const dataset = await rig.createDataset(account);
    expect((await rig.outcome(OpenUpload, { account, dataset, idempotency_key: 'i1' })).code).toBe('invalid_request');
    expect((await rig.outcome(FindAdapterImport, { account: anAccount(), upload: one.upload })).code).toBe('upload_not_found');
    expect((await rig.ask(FindUpload, { account, upload: one.upload })).upload).toMatchObject({ dataset: null, state: 'open' });
    await rig.ask(CancelUpload, { account, upload: one.upload });
    expect(await view(account, one.upload)).toMatchObject({ state: 'cancelled' });
    expect((await door.put(one.path, GGUF)).status).toBe(404);
  });

  it('is bounded by quotas', async () => {
    const account = anAccount();
    expect((await rig.outcome(ImportAdapter, { account, name: 'x', bytes: 2 ** 30 + 1 })).code).toBe('request_too_large');
    await rig.ask(SetTuningQuotas, { account, quotas: { adapters: 0 } });
    expect((await rig.outcome(ImportAdapter, { account, name: 'x' })).code).toBe('quota_exceeded');
  });
});
