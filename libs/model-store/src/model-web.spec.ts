import { HostList } from '@slipway/platform';
import { expect, it } from 'vitest';
import { type FileFacts, ModelWeb, type ModelWebOptions } from './model-web.js';

const URL_1 = 'https://a.example/m-00001-of-00002.gguf?signature=1';
const DIGEST = 'a'.repeat(64);

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly redirect: RequestInit['redirect'];
}

/** Servers that give these answers in turn. */
function webOf(
  answers: (() => Response)[],
  { hub = false, token = null, internal = null }: Partial<Pick<ModelWebOptions, 'hub' | 'token' | 'internal'>> = {},
) {
  const asked: Asked[] = [];
  const web = new ModelWeb({
    fetch: (input, init) => {
      const url = input instanceof Request ? input.url : input.toString();
      asked.push({ method: init?.method ?? 'GET', url, headers: new Headers(init?.headers), redirect: init?.redirect });
      return Promise.resolve(answers.shift()?.() ?? new Response(null, { status: 500 }));
    },
    hosts: new HostList(['a.example', 'b.example']),
    internal,
    hub,
    token,
    signal: new AbortController().signal,
  });
  return { web, asked };
}

const whole =
  (body: string, headers: Record<string, string> = {}) =>
  (): Response =>
    new Response(body, { headers: { 'content-length': String(body.length), ...headers } });
const part =
  (body: string, range: string, headers: Record<string, string> = {}) =>
  (): Response =>
    new Response(body, { status: 206, headers: { 'content-length': String(body.length), 'content-range': range, ...headers } });

const facts = (over: Partial<FileFacts> = {}): FileFacts => ({ bytes: 5, stamp: null, digest: null, ...over });

async function textOf(web: ModelWeb, from: number, of: FileFacts, restarted: () => void = () => undefined): Promise<string> {
  const chunks: Uint8Array[] = [];
  const again = (): Promise<void> => {
    restarted();
    return Promise.resolve();
  };
  for await (const chunk of web.read(URL_1, from, of, again)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

it.each([
  ['shorter', part('mode', 'bytes 0-4/5')],
  ['longer', part('models', 'bytes 0-4/5')],
])('fails for a %s answer than announced', async (_, answer) => {
  await expect(textOf(webOf([answer]).web, 0, facts())).rejects.toThrow('than announced');
});

it('accepts only the range that it requested', async () => {
  const { web, asked } = webOf([part('odel', 'bytes 1-4/5'), part('mode', 'bytes 0-3/5')]);
  expect(await textOf(web, 1, facts())).toBe('odel');
  await expect(textOf(web, 1, facts())).rejects.toThrow('another range');
  expect(asked[0]?.headers.get('range')).toBe('bytes=1-');
});

it('restarts where the server ignores ranges', async () => {
  const { web } = webOf([whole('model')]);
  let restarts = 0;
  expect(await textOf(web, 2, facts(), () => (restarts += 1))).toBe('model');
  expect(restarts).toBe(1);
});

it('ends the download when the file changes', async () => {
  const { web, asked } = webOf([part('odel', 'bytes 1-4/5', { etag: '"2"' })]);
  const changed = { name: 'DownloadError', left: 'nothing', message: expect.stringContaining('changed on its server') };
  await expect(textOf(web, 1, facts({ stamp: '"1" 5' }))).rejects.toMatchObject(changed);
  expect(asked[0]?.headers.get('if-range')).toBe('"1"');
});

it('takes the hub’s checksum from before a redirect', async () => {
  const redirect = (): Response =>
    new Response(null, { status: 302, headers: { location: 'https://b.example/cdn?expires=1', 'x-linked-etag': `"${DIGEST}"` } });
  const { web, asked } = webOf([redirect, whole('model', { etag: '"cdn"' })]);
  expect(await web.probe(URL_1)).toEqual({ bytes: 5, stamp: `${DIGEST} 5`, digest: DIGEST });
  expect(asked.map(({ method, headers }) => [method, headers.get('accept-encoding')])).toEqual([
    ['HEAD', 'identity'],
    ['HEAD', 'identity'],
  ]);
});

it.each([true, false])('reads entity tags as checksums on hubs: %s', async (hub) => {
  const { web } = webOf([whole('model', { etag: `W/"${DIGEST}"` })], { hub });
  expect((await web.probe(URL_1)).digest).toBe(hub ? DIGEST : null);
});

it('requests one byte where HEAD is refused', async () => {
  const { web, asked } = webOf([() => new Response(null, { status: 403 }), part('m', 'bytes 0-0/5', { etag: '"1"' })]);
  expect(await web.probe(URL_1)).toEqual({ bytes: 5, stamp: '"1" 5', digest: null });
  expect(asked.map(({ method }) => method)).toEqual(['HEAD', 'GET']);
});

it('refuses a file of unknown length', async () => {
  await expect(webOf([() => new Response('model')]).web.probe(URL_1)).rejects.toMatchObject({
    name: 'DownloadError',
    message: 'The server does not say how long the file is.',
  });
});

it('sends the credential only to the hub asking', async () => {
  const redirect = (): Response => new Response(null, { status: 302, headers: { location: 'https://b.example/cdn' } });
  const hidden = (): Response => new Response(null, { status: 401 });
  const { web, asked } = webOf([hidden, redirect, whole('model')], { hub: true, token: 'secret' });
  await web.probe(URL_1);
  expect(asked.map(({ url, headers }) => [new URL(url).host, headers.get('authorization')])).toEqual([
    ['a.example', null],
    ['a.example', 'Bearer secret'],
    ['b.example', null],
  ]);
  const other = webOf([hidden], { token: 'secret' });
  await expect(other.web.probe(URL_1)).rejects.toMatchObject({ name: 'HttpStatusError' });
  expect(other.asked).toHaveLength(1);
});

it.each([
  [404, 'HttpStatusError'],
  [429, 'TypeError'],
  [503, 'TypeError'],
])('decides whether status %i allows another attempt', async (status, name) => {
  const { web } = webOf([() => new Response(null, { status })]);
  await expect(web.probe(URL_1)).rejects.toMatchObject({ name });
  expect(web.trouble).toBe(`HTTP ${status}`);
});

it('a file of another service comes over http, and never by a redirect', async () => {
  const { web, asked } = webOf([whole('12345', { etag: '"x"' }), part('45', 'bytes 3-4/5')], { internal: { digest: DIGEST } });
  const address = 'http://tuning.internal:9/b/1?t=ticket';
  const found = await web.probe(address);
  expect(found).toEqual({ bytes: 5, digest: DIGEST, stamp: DIGEST });
  const read: string[] = [];
  for await (const bytes of web.read(address, 3, found, () => Promise.reject(new Error('restarted'))))
    read.push(Buffer.from(bytes).toString());
  expect(read.join('')).toBe('45');
  expect(asked.map(({ url, redirect }) => [url, redirect])).toEqual([
    [address, 'error'],
    [address, 'error'],
  ]);
});
