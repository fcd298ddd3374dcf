import { HostList } from '@slipway/platform';
import { expect, it } from 'vitest';
import { guardedFetch } from './guarded-fetch.js';

interface Asked {
  url: string;
  authorization: string | null;
}

/** A web of redirects: an address leads to the next one, or ends in 200. */
function web(redirects: Record<string, string>) {
  const asked: Asked[] = [];
  const fetch = guardedFetch(
    (input, init) => {
      const url = input instanceof Request ? input.url : input.toString();
      asked.push({ url, authorization: new Headers(init?.headers).get('authorization') });
      const location = redirects[url];
      return Promise.resolve(location === undefined ? new Response('model') : new Response(null, { status: 302, headers: { location } }));
    },
    new HostList(['a.example', 'b.example']),
  );
  return { asked, fetch };
}

it('follows allowed redirects without their first credential', async () => {
  const { asked, fetch } = web({ 'https://a.example/1': '/2', 'https://a.example/2': 'https://b.example/3' });
  const response = await fetch('https://a.example/1', { headers: { authorization: 'Bearer hub' } });
  expect(await response.text()).toBe('model');
  expect(asked).toEqual([
    { url: 'https://a.example/1', authorization: 'Bearer hub' },
    { url: 'https://a.example/2', authorization: 'Bearer hub' },
    { url: 'https://b.example/3', authorization: null },
  ]);
});

it.each([
  ['a foreign host', {}, 'https://c.example/1', 'address of the model leads to https://c.example'],
  ['plain http', {}, 'http://a.example/1', 'leads to http://a.example'],
  [
    'a redirect to a foreign host',
    { 'https://a.example/1': 'https://c.example/2' },
    'https://a.example/1',
    'redirect .* https://c.example',
  ],
  ['a redirect to this machine', { 'https://a.example/1': 'http://127.0.0.1:4222/' }, 'https://a.example/1', 'redirect .*127.0.0.1:4222'],
  [
    'a redirect to a private address',
    { 'https://a.example/1': 'https://169.254.169.254/latest' },
    'https://a.example/1',
    'redirect .*169.254.169.254',
  ],
  [
    'a redirect into a private network',
    { 'https://a.example/1': '/2', 'https://a.example/2': 'https://[fd00::1]/' },
    'https://a.example/1',
    'redirect',
  ],
  ['a redirect to a name with an allowed prefix', { 'https://a.example/1': 'https://a.example.evil/2' }, 'https://a.example/1', 'redirect'],
])('never requests %s', async (_, redirects, url, message) => {
  const { asked, fetch } = web(redirects);
  await expect(fetch(url)).rejects.toMatchObject({ name: 'ForbiddenHostError', message: expect.stringMatching(message) });
  expect(asked.filter(({ url: other }) => !other.startsWith('https://a.example'))).toEqual([]);
});

it('ends a circle of redirects', async () => {
  const { asked, fetch } = web({ 'https://a.example/1': 'https://a.example/1' });
  await expect(fetch('https://a.example/1')).rejects.toThrow('redirects too often');
  expect(asked.length).toBeLessThan(20);
});
