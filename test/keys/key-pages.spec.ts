import {
  type AccountId,
  CreateKey,
  FindKey,
  KeyId,
  ListAudit,
  ListKeys,
  RevokeKey,
  RevokeKeys,
  RotateKey,
  SetKeyExpiry,
} from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../testing/until.js';
import { KeysWorld } from './keys-world.js';
import type { TestGateway } from './test-gateway.js';

const PAST = '2020-01-01T00:00:00Z';
const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

describe('a deployment key on its page', { timeout: 120_000 }, () => {
  let world: KeysWorld;
  let gateway: TestGateway;

  beforeAll(async () => {
    world = await KeysWorld.start();
    await world.replica();
    gateway = await world.gateway('gw-1');
  });
  afterAll(() => world?.end());

  const newKey = async (account: AccountId, expiry?: string) => {
    const key = await world.ask(CreateKey, { account, name: 'a key', ...(expiry !== undefined && { expires_at: expiry }) });
    await until('the key opens', () => gateway.admits(key.value));
    return key;
  };
  const expire = (id: number): Promise<unknown> => world.sql(`UPDATE keys.key SET expires_at = $2 WHERE id = $1`, [id, PAST]);

  it('gets another expiry at every gateway', async () => {
    const account = await world.account();
    const { id: key, value } = await newKey(account, inAnHour());
    const later = new Date(Date.now() + 7_200_000).toISOString();
    expect(await world.ask(SetKeyExpiry, { account, key, expires_at: later })).toMatchObject({ id: key, expires_at: later });
    await until('the gateway has the expiry', () => gateway.key(key)?.expires === Date.parse(later));
    expect(await world.ask(SetKeyExpiry, { account, key, expires_at: null })).toMatchObject({ expires_at: null });
    await until('the gateway has none', () => gateway.key(key)?.expires === null);
    expect(gateway.admits(value)).toBe(true);
    const { entries } = await world.ask(ListAudit, { account, actor: { kind: 'ops' } });
    const changes = entries.filter(({ action }) => action === 'key.expiry');
    expect(changes.map(({ object, facts }) => [object, facts['expires_at']])).toEqual([
      [`key:${key}`, `${later} → never`],
      [`key:${key}`, expect.stringContaining(` → ${later}`)],
    ]);
  });

  it('comes back after its expiry by rotation only', async () => {
    const account = await world.account();
    const { id: key } = await newKey(account, inAnHour());
    expect(await world.outcome(SetKeyExpiry, { account, key, expires_at: PAST })).toEqual({ code: 'invalid_request' });
    await expire(key);
    for (const expiry of [null, inAnHour()]) {
      expect(await world.outcome(SetKeyExpiry, { account, key, expires_at: expiry })).toEqual({ code: 'key_expired' });
    }
    await world.ask(RotateKey, { account, key, expires_at: inAnHour() });
    expect(await world.ask(SetKeyExpiry, { account, key, expires_at: null })).toMatchObject({ expires_at: null });
    await world.ask(RevokeKey, { account, key });
    expect(await world.outcome(SetKeyExpiry, { account, key, expires_at: null })).toEqual({ code: 'key_revoked' });
    expect(await world.outcome(SetKeyExpiry, { account: await world.account(), key, expires_at: null })).toEqual({ code: 'key_not_found' });
  });

  it('is found by its number as in lists', async () => {
    const account = await world.account();
    const { id: key } = await newKey(account, inAnHour());
    const { keys } = await world.ask(ListKeys, { account });
    expect(await world.ask(FindKey, { account, key })).toEqual({ key: keys[0] });
    await world.ask(RevokeKey, { account, key });
    expect((await world.ask(FindKey, { account, key })).key.state).toBe('revoked');
    const foreign = await world.account();
    for (const address of [
      { account: foreign, key },
      { account, key: KeyId.parse(999_999) },
    ]) {
      expect(await world.outcome(FindKey, address)).toEqual({ code: 'key_not_found' });
    }
    expect(await world.outcome(FindKey, { account: 999_999, key })).toEqual({ code: 'account_not_found' });
  });

  it('is revoked together with a hundred others', async () => {
    const account = await world.account();
    const other = await newKey(await world.account());
    await world.sql(
      `INSERT INTO keys.key (account_id, kind, name, mac, pepper, hint)
       SELECT $1, 'dep', 'key ' || n, sha256(n::text::bytea), 'p1', 'svc_dep_test' FROM generate_series(1, 99) n`,
      [account],
    );
    const keys = (await world.ask(ListKeys, { account })).keys.map(({ id }) => id);
    const { keys: outcomes, missing } = await world.ask(RevokeKeys, { account, keys: [...keys.toReversed(), other.id] });
    expect(missing).toEqual([]);
    expect(outcomes).toEqual([...keys.toReversed().map((id) => ({ id, outcome: 'revoked' })), { id: other.id, outcome: 'key_not_found' }]);
    await until('no gateway accepts any of them', () => keys.every((key) => gateway.key(key)?.state === 'revoked'));
    expect(gateway.admits(other.value)).toBe(true);
    const { entries } = await world.ask(ListAudit, { account, actor: { kind: 'ops' } });
    expect(entries.filter(({ action }) => action === 'key.revoke').length).toBe(99);
    expect(await world.outcome(RevokeKeys, { account, keys: [keys[0]!, keys[0]!] })).toEqual({ code: 'invalid_request' });
  });

  it('is revoked by two callers in opposite order', async () => {
    const account = await world.account();
    const keys = [await newKey(account), await newKey(account), await newKey(account)].map(({ id }) => id);
    const replies = await Promise.all([keys, keys.toReversed(), keys].map((some) => world.ask(RevokeKeys, { account, keys: some })));
    for (const reply of replies) expect(reply.keys.every(({ outcome }) => outcome === 'revoked')).toBe(true);
  });
});
