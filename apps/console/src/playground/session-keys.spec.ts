import { AccountId, ServiceError, SessionId, UserId } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { type KeyHolder, SessionKeys } from './session-keys.js';

const holder = (session = 'a'.repeat(22), account = 1): KeyHolder => ({
  asking: { account: AccountId.parse(account), session: SessionId.parse(session), proof: `token of ${session}` },
  actor: { kind: 'user', user: UserId.parse(3) },
});

const TOKEN = `token of ${'a'.repeat(22)}`;

/** keys-service as far as this goes: it keeps the value that it gave out last, and opens others to who proves a session. */
function bench() {
  const clock = { now: 0 };
  const asked: string[] = [];
  let live: string | undefined;
  const expires = (): string => new Date(clock.now + 600_000).toISOString();
  const keep = (_contract: unknown, { value }: { value: string }): Promise<unknown> => {
    asked.push(value);
    return value === live ? Promise.resolve({ expires_at: expires() }) : Promise.reject(new ServiceError('session_ended', 'Over.'));
  };
  const open = (proof: string): Promise<unknown> => {
    asked.push(proof);
    live = `key-${asked.length}`;
    return Promise.resolve({ key: 1, value: live, expires_at: expires() });
  };
  const rpc = { call: keep, withProof: (proof: string) => ({ call: () => open(proof) }) };
  const lose = (): void => void (live = undefined);
  return { clock, asked, lose, keys: new SessionKeys(rpc as never, () => clock.now) };
}

describe('the keys of sessions', () => {
  it('are asked for once by all who want one, and prolonged at half of their life', async () => {
    const { clock, asked, keys } = bench();
    expect(await Promise.all([keys.keyFor(holder()), keys.keyFor(holder())])).toEqual(['key-1', 'key-1']);
    clock.now = 299_000;
    expect(await keys.keyFor(holder())).toBe('key-1');
    expect(asked).toEqual([TOKEN]);
    clock.now = 301_000;
    expect(await keys.keyFor(holder())).toBe('key-1');
    expect(asked).toEqual([TOKEN, 'key-1']);
  });

  it('are other ones for another session and another account', async () => {
    const { asked, keys } = bench();
    for (const one of [holder(), holder('b'.repeat(22)), holder('a'.repeat(22), 2)]) await keys.keyFor(one);
    expect(asked).toEqual([TOKEN, `token of ${'b'.repeat(22)}`, TOKEN]);
  });

  it('are asked for again when they opened nothing, and a newer one is not dropped with the old', async () => {
    const { keys } = bench();
    const first = await keys.keyFor(holder());
    keys.forget(holder(), first);
    const second = await keys.keyFor(holder());
    expect(second).not.toBe(first);
    keys.forget(holder(), first);
    expect(await keys.keyFor(holder())).toBe(second);
  });

  it('are opened anew by the session’s proof where they are over before their time', async () => {
    const { clock, asked, keys, lose } = bench();
    await keys.keyFor(holder());
    lose();
    clock.now = 301_000;
    expect(await keys.keyFor(holder())).toBe('key-3');
    expect(asked).toEqual([TOKEN, 'key-1', TOKEN]);
  });

  it('are forgotten when they have ended', async () => {
    const { clock, keys } = bench();
    await keys.keyFor(holder());
    clock.now = 700_000;
    await keys.keyFor(holder('b'.repeat(22)));
    expect(keys.size).toBe(1);
  });
});
