import { expect, vi } from 'vitest';
import { anItem } from '../an-item.js';
import { cache, downloaded, downloadTest as it, model, startAgent } from '../download-stage.js';
import { BIG_MODEL, sha256 } from '../half-model.js';
import { MODEL } from '../rig.js';
import { until } from '../until.js';

vi.setConfig({ testTimeout: 180_000 });

it.concurrent('an hf: URI is fetched from the hub', async ({ rig, host }) => {
  host.serve('/somebody/tiny/resolve/main/tiny.Q8_0.gguf', model);
  const agent = await startAgent({ rig, host }, { HF_ENDPOINT: host.url('/') });
  rig.assign(agent, [downloaded(1, 'hf:somebody/tiny/tiny.Q8_0.gguf')]);
  await rig.ready(agent, 1);
  expect((await rig.ask(1, 'Hello').done).end.fin).toBe('done');
});

it.concurrent('redirects are followed to allowed hosts only', async ({ rig, host }) => {
  host.redirect('/near', host.url('/tiny.gguf'));
  host.redirect('/far', host.url('/foreign.gguf', '127.0.0.1'));
  host.serve('/tiny.gguf', model);
  host.serve('/foreign.gguf', model);
  const agent = await startAgent({ rig, host });
  rig.assign(agent, [downloaded(1, host.url('/near')), downloaded(2, host.url('/far'))]);
  expect(await rig.failed(agent, 2)).toMatchObject({
    reason: 'download_failed',
    detail: expect.stringMatching(/redirect .*127\.0\.0\.1.* not on the list/),
  });
  await rig.ready(agent, 1);
  expect(host.requests.filter((request) => request.includes('foreign'))).toEqual([]);
});

it.concurrent('a wrong checksum is reported, the file fetched once', async ({ rig, host }) => {
  host.serve('/tiny.gguf', model);
  const uri = host.url('/tiny.gguf');
  const wrong = anItem(1, { source: { kind: 'download', uri, sha256: sha256(BIG_MODEL) } });
  const agent = await startAgent({ rig, host });
  rig.assign(agent, [wrong]);
  expect(await rig.failed(agent, 1)).toMatchObject({
    reason: 'download_failed',
    detail: 'The downloaded file does not have the SHA-256 checksum that it should have.',
  });
  expect(cache(rig)).toEqual([]);
  const asked = host.requests.length;
  await until('it was tried again', () => agent.output().split('"placement.failed"').length > 2);
  expect(host.requests.length).toBe(asked);
  // With the right one it is another file.
  rig.assign(agent, [wrong, anItem(2, { source: { kind: 'download', uri, sha256: sha256(model) } })]);
  await rig.ready(agent, 2);
  expect(rig.loadOf(agent, 1)?.state).toBe('failed');
});

it.concurrent('bad addresses say why and leave nothing behind', async ({ rig, host }) => {
  host.serve('/tiny.gguf', model);
  const agent = await startAgent({ rig, host });
  rig.assign(agent, [
    downloaded(1, host.url('/tiny.gguf', '127.0.0.1')),
    downloaded(2, host.url('/tiny.gguf').replace('https:', 'http:')),
    downloaded(3, host.url('/nothing.gguf?signature=secret')),
    downloaded(4, MODEL),
  ]);
  expect(await rig.failed(agent, 1)).toMatchObject({
    reason: 'download_failed',
    detail: expect.stringContaining('not on the list of allowed hosts'),
  });
  expect((await rig.failed(agent, 2)).detail).toContain('must be named by an https URL or an hf: URI');
  const nowhere = await rig.failed(agent, 3);
  expect(nowhere).toMatchObject({ reason: 'download_failed', detail: expect.stringContaining('404') });
  expect(nowhere.detail).not.toContain('secret');
  expect((await rig.failed(agent, 4)).reason).toBe('download_failed');
  rig.assign(agent, []);
  await until('the cache is empty', () => cache(rig).length === 0);
});
