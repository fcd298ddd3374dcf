import { AccountId, ServiceError, SessionId, UserId } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { type KeyOwner, SessionKeys } from './session-keys.js';

const owner = (session = 'a'.repeat(22), account = 1): KeyOwner => ({
  caller: { account: AccountId.parse(account), session: SessionId.parse(session), proof: `token of ${session}` },
  actor: { kind: 'user', user: UserId.parse(3) },
});

const TOKEN = `token of ${'a'.repeat(22)}`;

/** keys-service as far as this goes: it keeps the value that it gave out last, and opens others to who proves a session. */
function bench() {
  const clock = { now: 0 };
  const pending: string[] = [];
  let live: string | undefined;
  const expires = (): string => new Date(clock.now + 600_000).toISOString();
  const keep = (_contract: unknown, { value }: { value: string }): Promise<unknown> => {
    pending.push(value);
    return value === live ? Promise.resolve({ expires_at: expires() }) : Promise.reject(new ServiceError('session_ended', 'Over.'));
  };
  const open = (proof: string): Promise<unknown> => {
    pending.push(proof);
    live = `key-${pending.length}`;
    return Promise.resolve({ key: 1, value: live, expires_at: expires() });
  };
  const rpc = { call: keep, withProof: (proof: string) => ({ call: () => open(proof) }) };
  const lose = (): void => void (live = undefined);
  return { clock, pending, lose, keys: new SessionKeys(rpc as never, () => clock.now) };
}

describe('the keys of sessions', () => {
  it('are shared, and renewed at half of their life', async () => {
    const { clock, pending, keys } = bench();
    expect(await Promise.all([keys.keyFor(owner()), keys.keyFor(owner())])).toEqual(['key-1', 'key-1']);
    clock.now = 299_000;
    expect(await keys.keyFor(owner())).toBe('key-1');
    expect(pending).toEqual([TOKEN]);
    clock.now = 301_000;
    expect(await keys.keyFor(owner())).toBe('key-1');
    expect(pending).toEqual([TOKEN, 'key-1']);
  });

  it('differ between sessions and accounts', async () => {
    const { pending, keys } = bench();
    for (const one of [owner(), owner('b'.repeat(22)), owner('a'.repeat(22), 2)]) await keys.keyFor(one);
    expect(pending).toEqual([TOKEN, `token of ${'b'.repeat(22)}`, TOKEN]);
  });

  it('are replaced when the gateway refuses them', async () => {
    const { keys } = bench();
    const first = await keys.keyFor(owner());
    keys.forget(owner(), first);
    const second = await keys.keyFor(owner());
    expect(second).not.toBe(first);
    keys.forget(owner(), first);
    expect(await keys.keyFor(owner())).toBe(second);
  });

  it('are opened anew when they end early', async () => {
    const { clock, pending, keys, lose } = bench();
    await keys.keyFor(owner());
    lose();
    clock.now = 301_000;
    expect(await keys.keyFor(owner())).toBe('key-3');
    expect(pending).toEqual([TOKEN, 'key-1', TOKEN]);
  });

  it('are forgotten when they expire', async () => {
    const { clock, keys } = bench();
    await keys.keyFor(owner());
    clock.now = 700_000;
    await keys.keyFor(owner('b'.repeat(22)));
    expect(keys.size).toBe(1);
  });
});
