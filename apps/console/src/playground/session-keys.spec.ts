import { AccountId, SessionId, UserId } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { type KeyHolder, SessionKeys } from './session-keys.js';

const holder = (session = 'a'.repeat(22), account = 1): KeyHolder => ({
  asking: { account: AccountId.parse(account), session: SessionId.parse(session) },
  actor: { kind: 'user', user: UserId.parse(3) },
});

/** keys-service as far as this goes: it prolongs the value that it gave out last. */
function bench() {
  const clock = { now: 0 };
  const asked: (string | undefined)[] = [];
  let live: string | undefined;
  const call = (_contract: unknown, { value }: { value?: string }): Promise<unknown> => {
    asked.push(value);
    const isLive = value !== undefined && value === live;
    if (!isLive) live = `key-${asked.length}`;
    return Promise.resolve({ key: 1, value: isLive ? null : live, expires_at: new Date(clock.now + 600_000).toISOString() });
  };
  return { clock, asked, keys: new SessionKeys({ call: call as never }, () => clock.now) };
}

describe('the keys of sessions', () => {
  it('are asked for once by all who want one, and prolonged at half of their life', async () => {
    const { clock, asked, keys } = bench();
    expect(await Promise.all([keys.keyFor(holder()), keys.keyFor(holder())])).toEqual(['key-1', 'key-1']);
    clock.now = 299_000;
    expect(await keys.keyFor(holder())).toBe('key-1');
    expect(asked).toEqual([undefined]);
    clock.now = 301_000;
    expect(await keys.keyFor(holder())).toBe('key-1');
    expect(asked).toEqual([undefined, 'key-1']);
  });

  it('are other ones for another session and another account', async () => {
    const { asked, keys } = bench();
    for (const one of [holder(), holder('b'.repeat(22)), holder('a'.repeat(22), 2)]) await keys.keyFor(one);
    expect(asked).toEqual([undefined, undefined, undefined]);
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

  it('are forgotten when they have ended', async () => {
    const { clock, keys } = bench();
    await keys.keyFor(holder());
    clock.now = 700_000;
    await keys.keyFor(holder('b'.repeat(22)));
    expect(keys.size).toBe(1);
  });
});
