import { HostList } from '@slipway/platform';
import { expect, it } from 'vitest';
import { WebWatch } from './web-watch.js';

const URL_1 = 'https://a.example/m-00001-of-00002.gguf?signature=1';
const DIGEST = 'a'.repeat(64);

/** A watch over servers that answer as told, in turn. */
function watching(answers: (() => Response)[], { hub = false } = {}) {
  const fatal: Error[] = [];
  const asked: Headers[] = [];
  const watch = new WebWatch({
    fetch: (_, init) => {
      asked.push(new Headers(init?.headers));
      return Promise.resolve(answers.shift()?.() ?? new Response(null, { status: 500 }));
    },
    hosts: new HostList(['a.example', 'b.example']),
    hub,
    maxFileBytes: 1_000,
    ready: () => Promise.resolve(),
    fatal: (error) => fatal.push(error),
  });
  return { watch, fatal, asked };
}

const whole =
  (body: string, headers: Record<string, string> = {}) =>
  (): Response =>
    new Response(body, { headers: { 'content-length': String(body.length), ...headers } });
const part =
  (body: string, range: string, headers: Record<string, string> = {}) =>
  (): Response =>
    new Response(body, { status: 206, headers: { 'content-range': range, ...headers } });
const asking = (range: string) => ({ headers: { range } });

it.each([
  ['shorter', whole('model', { 'content-length': '6' })],
  ['longer', whole('model', { 'content-length': '4' })],
])('an answer that is %s than announced fails, so that no file gets holes', async (_, answer) => {
  const { watch } = watching([answer]);
  const response = await watch.fetch(URL_1);
  await expect(response.text()).rejects.toThrow('than announced');
});

it('a part must be the part that was asked for, and as long as it says', async () => {
  const { watch, fatal } = watching([part('odel', 'bytes 1-4/5'), part('ode', 'bytes 1-4/5'), part('mode', 'bytes 0-3/5'), whole('model')]);
  expect(await (await watch.fetch(URL_1, asking('bytes=1-4'))).text()).toBe('odel');
  await expect((await watch.fetch(URL_1, asking('bytes=1-4'))).text()).rejects.toThrow('shorter');
  expect(fatal).toEqual([]);
  for (let nth = 0; nth < 2; nth += 1) await expect(watch.fetch(URL_1, asking('bytes=1-4'))).rejects.toThrow('does not send the part');
  expect(fatal).toHaveLength(2);
});

it('a file that changes while it is downloaded ends the download', async () => {
  const { watch, fatal } = watching([whole('model', { etag: '"1"' }), part('odel', 'bytes 1-4/5', { etag: '"2"' })]);
  await watch.fetch(URL_1);
  await expect(watch.fetch(URL_1, asking('bytes=1-4'))).rejects.toThrow('changed on its server');
  expect(fatal).toMatchObject([{ name: 'DownloadError', left: 'nothing' }]);
});

it('behind a redirect the first address stays the one to ask, under whatever signature', async () => {
  const redirect = (): Response =>
    new Response(null, { status: 302, headers: { location: 'https://b.example/cdn?expires=1', 'x-linked-etag': `"${DIGEST}"` } });
  const { watch, asked } = watching([redirect, whole('model', { etag: '"cdn"' })]);
  const response = await watch.fetch(URL_1, { headers: { 'accept-encoding': 'gzip' } });
  expect(response.url).toBe(URL_1);
  expect(asked.map((headers) => headers.get('accept-encoding'))).toEqual(['identity', 'identity']);
  expect([...watch.stamps]).toEqual([['https://a.example/m-00001-of-00002.gguf', `${DIGEST} 5`]]);
  expect(watch.digestOf('hf_user_m-00001-of-00002.gguf')).toBe(DIGEST);
  expect(watch.digestOf('hf_user_m-00002-of-00002.gguf')).toBeNull();
  expect(watch.digestsKnown).toBe(true);
});

it('an entity tag is a checksum on a hub only, and a list of files is no file', async () => {
  const answers = () => [whole('{}', { 'content-type': 'application/json; charset=utf-8' }), whole('model', { etag: `W/"${DIGEST}"` })];
  for (const hub of [true, false]) {
    const { watch } = watching(answers(), { hub });
    await watch.fetch('https://a.example/v2/user/repo/manifests/latest');
    await watch.fetch(URL_1);
    expect([...watch.stamps.keys()]).toEqual(['https://a.example/m-00001-of-00002.gguf']);
    expect(watch.digestsKnown).toBe(hub);
  }
});

it('a file of which its server says nothing has no stamp, and one that is too large is not begun', async () => {
  const { watch, fatal } = watching([whole('model'), whole('model', { 'content-length': '1001' })]);
  await watch.fetch(URL_1);
  expect([...watch.stamps.values()]).toEqual([null]);
  await expect(watch.fetch('https://a.example/large.gguf')).rejects.toThrow('There is no room');
  expect(fatal).toMatchObject([{ name: 'DownloadError', missing: 1 }]);
});

it('the last trouble is known, and forgotten when it is over', async () => {
  const { watch } = watching([() => new Response(null, { status: 503 }), whole('model')]);
  await watch.fetch(URL_1);
  expect(watch.trouble).toBe('HTTP 503');
  await watch.fetch(URL_1);
  expect(watch.trouble).toBeNull();
});
