import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Session } from './session.js';

/** What the console would answer, by path; each question takes the next answer, and the last one stays. */
let script: Record<string, [status: number, body: object][]>;
let asked: { path: string; token: string | null; body: string | null }[];

const LIFE_MS = 600_000;
const granted = (token: string, lifeMs = LIFE_MS): [number, object] => [
  200,
  {
    access_token: token,
    expires_at: new Date(Date.now() + lifeMs).toISOString(),
    user: 3,
    account: { id: 1, slug: 'local', role: 'owner' },
  },
];
const ended: [number, object] = [401, { error: { code: 'session_ended', message: 'Sign in first.' } }];
const noCookie: [number, object] = [401, { error: { code: 'session_ended', message: 'Sign in first.', param: 'cookie' } }];
const lost: [number, object] = [503, { error: { code: 'unavailable', message: 'Later.' } }];

beforeEach(() => {
  script = {};
  asked = [];
  // Waits before a question is repeated are over at once.
  vi.stubGlobal('setTimeout', (act: () => void) => queueMicrotask(act));
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
    asked.push({ path, token: new Headers(init.headers).get('authorization'), body: (init.body as string | undefined) ?? null });
    const answers = script[path] ?? [];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (!answer) return Promise.reject(new TypeError('no network'));
    return Promise.resolve(new Response(JSON.stringify(answer[1]), { status: answer[0] }));
  });
});
afterEach(() => vi.unstubAllGlobals());

const paths = (): string[] => asked.map(({ path }) => path);

describe('the session of a page', () => {
  it('begins by the cookie alone', async () => {
    script['/api/refresh'] = [granted('one')];
    const session = new Session();
    expect(await session.resume()).toMatchObject({ kind: 'in', account: { slug: 'local' } });
    await session.resume();
    expect(paths()).toEqual(['/api/refresh']);
  });

  it('asks with its token, and one new token serves all who wait for it', async () => {
    script['/api/refresh'] = [granted('one'), granted('two')];
    script['/api/x'] = [ended, ended, [200, { ok: 1 }]];
    const session = new Session();
    await session.resume();
    expect(await Promise.all([session.ask('/api/x'), session.ask('/api/x')])).toEqual([{ ok: 1 }, { ok: 1 }]);
    expect(paths().filter((path) => path === '/api/refresh')).toHaveLength(2);
    expect(asked.filter(({ path }) => path === '/api/x').map(({ token }) => token)).toEqual([
      'Bearer one',
      'Bearer one',
      'Bearer two',
      'Bearer two',
    ]);
  });

  it('takes a new token before the old one is over, in the account in which it works', async () => {
    script['/api/refresh'] = [granted('one', 10_000), granted('two')];
    script['/api/x'] = [[200, {}]];
    const session = new Session();
    await session.resume();
    await session.ask('/api/x');
    expect(asked.at(-1)?.token).toBe('Bearer two');
    expect(asked[1]).toMatchObject({ path: '/api/refresh', body: '{"account":"local"}' });
  });

  it('is over when the cookie opens nothing any more, and says that it was ended', async () => {
    script['/api/refresh'] = [granted('one'), ended];
    script['/api/x'] = [ended];
    const session = new Session();
    await session.resume();
    await expect(session.ask('/api/x')).rejects.toMatchObject({ code: 'session_ended' });
    expect(session.state).toEqual({ kind: 'out', ended: true });
  });

  it('is not over because the network is away', async () => {
    script['/api/refresh'] = [granted('one', 10_000)];
    const session = new Session();
    await session.resume();
    script['/api/refresh'] = [];
    await expect(session.ask('/api/x')).rejects.toMatchObject({ code: 'offline' });
    expect(session.state.kind).toBe('in');
  });

  it('whether there is one stays open while the console cannot say', async () => {
    script['/api/refresh'] = [[503, { error: { code: 'auth_unavailable', message: 'Later.' } }]];
    const session = new Session();
    await expect(session.resume()).rejects.toMatchObject({ code: 'auth_unavailable' });
    expect(session.state.kind).toBe('unknown');
  });

  it('survives answers to a refresh that are lost: it asks again at once, while the console still repeats them', async () => {
    script['/api/refresh'] = [lost, lost, granted('one')];
    expect(await new Session().resume()).toMatchObject({ kind: 'in' });
    expect(paths()).toHaveLength(3);
  });

  it('tells somebody whose session was ended before the page was opened from somebody who never signed in', async () => {
    script['/api/refresh'] = [ended];
    expect(await new Session().resume()).toEqual({ kind: 'out', ended: true });
    script['/api/refresh'] = [noCookie];
    expect(await new Session().resume()).toEqual({ kind: 'out', ended: false });
  });

  it('works in the account that the address names, and in its own where that is not the person’s', async () => {
    script['/api/refresh'] = [granted('one')];
    await new Session().resume('acme');
    expect(asked[0]?.body).toBe('{"account":"acme"}');
    script['/api/refresh'] = [[403, { error: { code: 'not_permitted', message: 'No.', param: 'account' } }], granted('one')];
    expect(await new Session().resume('foreign')).toMatchObject({ kind: 'in', account: { slug: 'local' } });
    expect(asked.at(-1)?.body).toBe('{}');
  });

  it('leaves nothing in the storage of the browser', async () => {
    const stored = vi.fn<() => never>(() => {
      throw new Error('Nothing may be stored.');
    });
    vi.stubGlobal('localStorage', { setItem: stored });
    vi.stubGlobal('sessionStorage', { setItem: stored });
    script['/api/refresh'] = [granted('one')];
    await new Session().resume();
    expect(stored).not.toHaveBeenCalled();
  });
});
