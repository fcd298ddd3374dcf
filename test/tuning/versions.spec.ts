import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AddExamples, AddSample, CompareVersions, DeleteDataset, FindTuningUse, ImportDataset, ReadExamples } from '@slipway/contracts';
import { describe, expect } from 'vitest';
import { until } from '../testing/until.js';
import { checked, conversations, uploadFile } from './bytes.js';
import { anAccount, rigTest } from './rig.js';

/** A server of files, for the time of a test. */
async function served<T>(listener: RequestListener, use: (host: string) => Promise<T>): Promise<T> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}

describe('a version', () => {
  rigTest('is made of the sample, of edits, and compared with others', async ({ served: rig }) => {
    const account = anAccount();
    const dataset = await rig.createDataset(account);
    const { version } = await rig.ask(AddSample, { account, dataset });
    expect(await checked(rig, account, dataset, version)).toMatchObject({ state: 'ready', examples: 30, origin: 'sample' });
    const { examples } = await rig.ask(ReadExamples, { account, dataset, version, from: 2, limit: 1 });
    const second = JSON.parse(examples[0]?.json ?? '') as { messages: { role: string; content: string }[] };
    const answered = { messages: [second.messages[0], { role: 'assistant', content: 'Something else.' }] };
    const added = [answered, { prompt: 'Is it new?', completion: 'Yes.' }];
    const request = { account, dataset, base_version: version, examples: added, remove: [2, 5], idempotency_key: 'a1' };
    const edited = await rig.ask(AddExamples, request);
    expect(await checked(rig, account, dataset, edited.version)).toMatchObject({
      state: 'ready',
      examples: 30,
      parent: version,
      origin: 'edit',
    });
    expect(await rig.ask(AddExamples, request)).toEqual(edited);
    const comparison = await rig.ask(CompareVersions, { account, dataset, from: version, to: edited.version });
    expect(comparison).toMatchObject({ added: 1, removed: 1, changed: 1, same: 28, added_at: [30], changed_at: [29], removed_at: [5] });
    const late = { ...request, idempotency_key: 'a2' };
    expect((await rig.outcome(AddExamples, late)).code).toBe('dataset_changed');
    const wrong = { ...late, base_version: edited.version, examples: [{ messages: [{ role: 'robot', content: 'x' }] }] };
    expect((await rig.outcome(AddExamples, wrong)).code).toBe('invalid_request');
  });

  rigTest('is imported from allowed hosts alone, and says why it cannot be', async ({ rig }) => {
    const listener: RequestListener = (request, response) => {
      if (request.url === '/train.jsonl') return response.end(conversations(20));
      if (request.url === '/away') return response.writeHead(302, { location: 'https://elsewhere.example/train.jsonl' }).end();
      return response.writeHead(404).end();
    };
    await served(listener, async (host) => {
      await rig.startReplica({ DATASET_HOSTS: host });
      const account = anAccount();
      const dataset = await rig.createDataset(account);
      const imported = async (url: string) => {
        const { version } = await rig.ask(ImportDataset, { account, dataset, url });
        return checked(rig, account, dataset, version);
      };
      expect(await imported(`http://${host}/train.jsonl`)).toMatchObject({ state: 'ready', examples: 20, origin: 'url' });
      const failed = { state: 'invalid', reason: 'import_failed' };
      expect(await imported(`http://${host}/gone`)).toMatchObject({ ...failed, detail: expect.stringContaining('404') as string });
      expect(await imported(`http://${host}/away`)).toMatchObject({
        ...failed,
        detail: expect.stringContaining('elsewhere.example') as string,
      });
      const foreign = { account, dataset, url: 'https://elsewhere.example/train.jsonl' };
      expect((await rig.outcome(ImportDataset, foreign)).code).toBe('source_not_allowed');
    });
  });

  rigTest('of another kind than its data set is not ready', async ({ served: rig }) => {
    const account = anAccount();
    const dataset = await rig.createDataset(account, 'pairs', { kind: 'preference' });
    const version = await uploadFile(rig, { account, dataset, text: conversations(12) });
    expect(await checked(rig, account, dataset, version)).toMatchObject({ state: 'invalid', reason: 'wrong_kind' });
  });
});

describe('the bytes of a deleted data set', () => {
  rigTest('are removed once their time is over', async ({ rig }) => {
    const service = await rig.startReplica();
    const account = anAccount();
    const dataset = await rig.createDataset(account);
    const version = await uploadFile(rig, { account, dataset, text: conversations(15) });
    await checked(rig, account, dataset, version);
    const files = async (): Promise<string[]> =>
      (await readdir(join(rig.folder, 'blobs', String(account)), { recursive: true, withFileTypes: true }))
        .filter((one) => one.isFile())
        .map(({ name }) => name);
    expect((await files()).length).toBeGreaterThanOrEqual(2);
    await rig.ask(DeleteDataset, { account, dataset });
    expect((await rig.ask(FindTuningUse, { account })).used).toMatchObject({ datasets: 0, bytes: 0 });
    // Each replica that is elected tidies first.
    await service.stop();
    await rig.startReplica({ BLOB_KEEP_HOURS: '0' });
    await until('the files are removed', async () => (await files()).length === 0);
  });
});
