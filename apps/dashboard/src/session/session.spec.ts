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

const bodyOf = (n: number): Record<string, string> => JSON.parse(asked.at(n)?.body ?? '{}') as Record<string, string>;
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
    expect(bodyOf(1)).toMatchObject({ account: 'local' });
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
    expect(new Set([0, 1, 2].map((n) => bodyOf(n)['attempt'])).size).toBe(1);
  });

  it('goes on with the same attempt after a reload, and with another one once it had an answer', async () => {
    const stored = new Map<string, string>();
    vi.stubGlobal('localStorage', {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => stored.set(name, value),
      removeItem: (name: string) => stored.delete(name),
    });
    script['/api/refresh'] = [lost];
    await expect(new Session().resume()).rejects.toMatchObject({ code: 'unavailable' });
    script['/api/refresh'] = [granted('one')];
    await new Session().resume();
    const first = bodyOf(-1)['attempt'];
    expect(first).toBe(bodyOf(0)['attempt']);
    expect(stored.size).toBe(0);
    await new Session().resume();
    expect(bodyOf(-1)['attempt']).not.toBe(first);
  });

  it('distinguishes an ended session from one that never existed', async () => {
    script['/api/refresh'] = [ended];
    expect(await new Session().resume()).toEqual({ kind: 'out', ended: true });
    script['/api/refresh'] = [noCookie];
    expect(await new Session().resume()).toEqual({ kind: 'out', ended: false });
  });

  it('works in the account that the address names, and in its own where that is not the person’s', async () => {
    script['/api/refresh'] = [granted('one')];
    await new Session().resume('acme');
    expect(bodyOf(0)).toMatchObject({ account: 'acme' });
    script['/api/refresh'] = [[403, { error: { code: 'not_permitted', message: 'No.', param: 'account' } }], granted('one')];
    expect(await new Session().resume('foreign')).toMatchObject({ kind: 'in', account: { slug: 'local' } });
    expect(bodyOf(-1)).not.toHaveProperty('account');
  });

  it('leaves no token in the storage of the browser, and begins where that keeps nothing', async () => {
    const stored: string[] = [];
    const refuse = (_: string, value: string): never => {
      stored.push(value);
      throw new Error('Nothing may be stored.');
    };
    vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse, removeItem: refuse });
    vi.stubGlobal('sessionStorage', { setItem: refuse });
    script['/api/refresh'] = [granted('one')];
    expect(await new Session().resume()).toMatchObject({ kind: 'in' });
    expect(stored.join()).not.toContain('one');
  });
});
