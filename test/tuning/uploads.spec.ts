import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CancelUpload, DownloadDataset, FindUpload, OpenUpload, ReadExamples, ReadIssues, RepairVersion } from '@slipway/contracts';
import { describe, expect, vi } from 'vitest';
import { checked, conversations, DoorClient, sha256Of, uploadFile } from './bytes.js';
import { anAccount, rigTest, type TuningRig } from './rig.js';

async function uploadOf(rig: TuningRig, more: object = {}) {
  const account = anAccount();
  const dataset = await rig.createDataset(account);
  const opened = await rig.ask(OpenUpload, { account, dataset, ...more });
  return { account, dataset, ...opened };
}

describe('an upload', () => {
  rigTest('becomes a checked version whose examples are read', async ({ served: rig }) => {
    const account = anAccount();
    const dataset = await rig.createDataset(account);
    const version = await uploadFile(rig, { account, dataset, text: conversations(30), file_name: 'train.jsonl' });
    const view = await checked(rig, account, dataset, version);
    expect(view).toMatchObject({ number: 1, state: 'ready', examples: 30, rejected: 0, format: 'chat', progress: null, origin: 'upload' });
    expect(view.statistics).toMatchObject({ examples: 30, learned_turns: 30 });
    const { examples, next } = await rig.ask(ReadExamples, { account, dataset, version, from: 11, limit: 5 });
    expect([examples.map(({ n, line }) => [n, line]), next]).toEqual([[11, 12, 13, 14, 15].map((n) => [n, n]), 16]);
    expect(JSON.parse(examples[0]?.json ?? '')).toMatchObject({ messages: [{ content: 'Question 10' }, { content: 'Answer 10' }] });
    const found = await rig.ask(ReadExamples, { account, dataset, version, from: 1, limit: 5, search: 'Question 29' });
    expect([found.examples.map(({ n }) => n), found.next]).toEqual([[30], null]);
  });

  rigTest('goes on after each of ten cuts, and is equal in the end', async ({ served: rig }) => {
    const text = Buffer.from(conversations(4_000, () => randomBytes(30).toString('hex')));
    const { account, dataset, path, upload } = await uploadOf(rig, { bytes: text.length, sha256: sha256Of(text) });
    const door = new DoorClient(rig);
    const step = Math.ceil(text.length / 11);
    for (let cuts = 0; cuts < 10;) {
      const offset = (await door.offset(path)) ?? 0;
      const piece = text.subarray(offset, offset + step);
      const broken = new ReadableStream({
        start(controller) {
          controller.enqueue(piece.subarray(0, piece.length / 2));
        },
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          controller.error(new Error('cut'));
        },
      });
      const outcome = await door.patch(path, offset, broken).then(
        ({ status }) => status,
        () => 'cut',
      );
      // What came before a cut may still be written, so that the offset is another by now: then a client asks again.
      expect(['cut', 409]).toContain(outcome);
      if (outcome === 'cut') cuts += 1;
    }
    let offset = (await door.offset(path)) ?? 0;
    expect((await door.patch(path, offset + 1, text.subarray(0, 10))).status).toBe(409);
    while (offset < text.length) {
      const answer = await door.patch(path, offset, text.subarray(offset, offset + step));
      expect([204, 409]).toContain(answer.status);
      offset = Number(answer.status === 204 ? answer.headers.get('upload-offset') : await door.offset(path));
    }
    const { upload: view } = await rig.ask(FindUpload, { account, upload });
    expect(view).toMatchObject({ state: 'complete', received: text.length, version: 1 });
    expect(await checked(rig, account, dataset, 1)).toMatchObject({ state: 'ready', examples: 4_000 });
  });

  rigTest('of the same file is the version that exists', async ({ served: rig }) => {
    const account = anAccount();
    const dataset = await rig.createDataset(account);
    const text = conversations(12);
    expect(await uploadFile(rig, { account, dataset, text })).toBe(1);
    await checked(rig, account, dataset, 1);
    expect(await uploadFile(rig, { account, dataset, text })).toBe(1);
    expect(await uploadFile(rig, { account, dataset, text: conversations(13) })).toBe(2);
  });

  rigTest('with another hash than announced makes no version', async ({ served: rig }) => {
    const { account, upload, path } = await uploadOf(rig, { sha256: sha256Of('something else') });
    const answer = await new DoorClient(rig).put(path, conversations(3));
    expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([409, 'upload_conflict']);
    expect((await rig.ask(FindUpload, { account, upload })).upload).toMatchObject({ state: 'cancelled', version: null });
  });

  rigTest('answers alike to every ticket that is not good', async ({ served: rig }) => {
    const [own, other] = [await uploadOf(rig), await uploadOf(rig)];
    const door = new DoorClient(rig);
    await rig.ask(CancelUpload, { account: other.account, upload: other.upload });
    const used = await uploadOf(rig);
    expect((await door.put(used.path, conversations(1))).status).toBe(201);
    const [payload = '', mac = ''] = own.ticket.split('.');
    const [foreign = ''] = other.ticket.split('.');
    const { path: download } = await rig.ask(DownloadDataset, {
      account: used.account,
      dataset: used.dataset,
      version: 1,
      what: 'original',
    });
    const tried = [
      other.path,
      used.path,
      `/uploads/${foreign}.${mac}`,
      `/uploads/${payload}.${mac.slice(0, -2)}xx`,
      '/uploads/aaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      download.replace('/downloads', '/uploads'),
      own.path.replace('/uploads', '/downloads'),
      `/b/${sha256Of('x')}?t=${own.ticket}`,
    ];
    const asked = async (method: string, path: string): Promise<string> => {
      const answer = await fetch(await door.url(path), { method, ...(method === 'PUT' && { body: 'x' }) });
      return `${answer.status} ${await answer.text()}`;
    };
    const answers = await Promise.all(tried.flatMap((path) => ['PUT', 'GET'].map((method) => asked(method, path))));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 3_600_000 });
    try {
      answers.push(await asked('PUT', own.path), await asked('GET', download));
    } finally {
      vi.useRealTimers();
    }
    expect(new Set(answers)).toEqual(new Set([answers[0]]));
    expect(answers[0]).toMatch(/^404 /);
    expect((await rig.ask(FindUpload, { account: own.account, upload: own.upload })).upload).toMatchObject({ state: 'open', received: 0 });
  });

  rigTest('holds at most what the account may have', async ({ rig }) => {
    await rig.startReplica({ QUOTA_FILE_BYTES: '1000', QUOTA_UPLOADS: '2' });
    const account = anAccount();
    const dataset = await rig.createDataset(account);
    expect((await rig.outcome(OpenUpload, { account, dataset, bytes: 1_001 })).code).toBe('request_too_large');
    const { path } = await rig.ask(OpenUpload, { account, dataset });
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(400)),
    });
    const door = new DoorClient(rig);
    const answer = await fetch(await door.url(path), { method: 'PUT', body: stream, duplex: 'half' });
    expect(answer.status).toBe(413);
    await rig.ask(OpenUpload, { account, dataset });
    expect((await rig.outcome(OpenUpload, { account, dataset })).code).toBe('quota_exceeded');
  });
});

describe('a version', () => {
  rigTest('names each fault by line, and is mended by the repair that it offers', async ({ served: rig }) => {
    const account = anAccount();
    const dataset = await rig.createDataset(account);
    const text = `${conversations(300)}{"messages":[{"role":"robot","content":"x"},{"role":"assistant","content":"y"}]}\n`;
    const version = await uploadFile(rig, { account, dataset, text });
    const view = await checked(rig, account, dataset, version);
    expect(view).toMatchObject({ state: 'invalid', reason: 'has_rejected', rejected: 1 });
    expect(view.repairs).toContain('leave_out_rejected');
    const { issues, totals } = await rig.ask(ReadIssues, { account, dataset, version, rule: 'bad_role' });
    expect(issues).toMatchObject([{ line: 301, rule: 'bad_role', severity: 'error' }]);
    expect(totals).toContainEqual({ rule: 'bad_role', severity: 'error', count: 1 });
    const { version: mended } = await rig.ask(RepairVersion, { account, dataset, version, repairs: ['leave_out_rejected'] });
    expect(await checked(rig, account, dataset, mended)).toMatchObject({
      state: 'ready',
      examples: 300,
      parent: version,
      origin: 'repair',
    });
    const { path, name } = await rig.ask(DownloadDataset, { account, dataset, version: mended, what: 'rejected' });
    expect(name).toBe('support-v2-rejected.jsonl');
    const door = new DoorClient(rig);
    expect(await (await fetch(await door.url(path))).text()).toContain('robot');
    expect((await fetch(await door.url(path))).status).toBe(404);
  });

  rigTest('shows nothing of its text on disk or in the log', async ({ rig }) => {
    const service = await rig.startReplica();
    const account = anAccount();
    const dataset = await rig.createDataset(account);
    const version = await uploadFile(rig, { account, dataset, text: conversations(50, () => 'Blue Heron') });
    await checked(rig, account, dataset, version);
    const files = await readdir(join(rig.folder, 'blobs'), { recursive: true, withFileTypes: true });
    const stored = files.filter((file) => file.isFile());
    expect(stored.length).toBeGreaterThan(0);
    for (const file of stored) expect((await readFile(join(file.parentPath, file.name))).includes('Heron')).toBe(false);
    expect(service.output).not.toContain('Heron');
  });
});
