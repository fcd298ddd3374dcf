import { CreateKey, FindAccount, KeyId, ListAccounts, ListKeys, RenameKey, RevokeKey, RotateKey } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { until } from '../testing/until.js';
import { KeysWorld } from './keys-world.js';
import type { TestGateway } from './test-gateway.js';

const PAST = '2020-01-01T00:00:00Z';
const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

describe('a deployment key', { timeout: 120_000 }, () => {
  let world: KeysWorld;
  let gateway: TestGateway;

  beforeAll(async () => {
    world = await KeysWorld.start();
    await world.replica();
    gateway = await world.gateway('gw-1');
  });
  afterAll(() => world?.end());

  const admitted = (value: string): boolean => gateway.admits(value);
  const eventuallyAdmitted = (value: string): Promise<true> => until('the key opens', () => admitted(value));
  const newKey = async (name = 'a key', expiry?: string) => {
    const account = await world.account();
    const made = await world.ask(CreateKey, { account, name, ...(expiry !== undefined && { expires_at: expiry }) });
    return { account, key: made.id, value: made.value, hint: made.hint };
  };
  const listed = async (account: number, id: number) =>
    (await world.ask(ListKeys, { account })).keys.find((key) => key.id === id) ?? expect.unreachable('The key is not listed.');
  /** Moves a key's expiry into the past. */
  const expire = (id: number): Promise<unknown> => world.sql(`UPDATE keys.key SET expires_at = $2 WHERE id = $1`, [id, PAST]);

  it('is listed with name, hint, times and state', async () => {
    const expiry = inAnHour();
    const { account, key, hint } = await newKey('CI of the shop', expiry);
    const view = await listed(account, key);
    expect(view).toMatchObject({ id: key, name: 'CI of the shop', hint, state: 'active', expires_at: expiry });
    expect(Math.abs(Date.parse(view.created_at) - Date.now())).toBeLessThan(60_000);
    expect((await newKey().then(({ account: other, key: id }) => listed(other, id))).expires_at).toBeNull();
  });

  it('keeps its value and version when renamed', async () => {
    const { account, key, value, hint } = await newKey('old name');
    await eventuallyAdmitted(value);
    const [before] = await world.sql(`SELECT ver FROM keys.key WHERE id = $1`, [key]);
    const renamed = await world.ask(RenameKey, { account, key, name: '  naïve 名前 🙂 ' });
    expect(renamed).toMatchObject({ id: key, name: 'naïve 名前 🙂', hint, state: 'active' });
    expect(await listed(account, key)).toEqual({ ...renamed, last_used_at: null });
    expect(await world.sql(`SELECT ver FROM keys.key WHERE id = $1`, [key])).toEqual([before]);
    expect(admitted(value)).toBe(true);
  });

  it('gets a new value by rotation, without overlap', async () => {
    const { account, key, value } = await newKey('rotated');
    await eventuallyAdmitted(value);
    const before = await listed(account, key);
    const rotated = await world.ask(RotateKey, { account, key });
    expect(rotated.id).toBe(key);
    expect(rotated.value).not.toBe(value);
    await eventuallyAdmitted(rotated.value);
    expect(admitted(value)).toBe(false);
    const after = await listed(account, key);
    expect(before.rotated_at).toBeNull();
    expect(after).toEqual({ ...before, hint: rotated.value.slice(0, 12), rotated_at: expect.any(String) });
    expect(Date.parse(after.rotated_at ?? '')).toBeGreaterThanOrEqual(Date.parse(before.created_at));
    await world.ask(RenameKey, { account, key, name: 'renamed since' });
    expect((await listed(account, key)).rotated_at).toBe(after.rotated_at);
  });

  it('is refused once revoked, and stays listed', async () => {
    const { account, key, value } = await newKey('revoked');
    await eventuallyAdmitted(value);
    for (let times = 1; times <= 3; times += 1) {
      expect((await world.ask(RevokeKey, { account, key })).id).toBe(key);
      await until('the key opens nothing', () => !admitted(value));
      expect((await listed(account, key)).state).toBe('revoked');
    }
  });

  it('cannot be rotated once it is revoked', async () => {
    const { account, key } = await newKey();
    await world.ask(RevokeKey, { account, key });
    for (const expiry of [undefined, null, inAnHour()]) {
      expect(await world.outcome(RotateKey, { account, key, expires_at: expiry })).toEqual({ code: 'key_revoked' });
    }
    expect(await world.ask(RenameKey, { account, key, name: 'was of the shop' })).toMatchObject({ state: 'revoked' });
  });

  it('keeps or changes its expiry when rotated', async () => {
    const expiry = inAnHour();
    const { account, key } = await newKey('expiring', expiry);
    await world.ask(RotateKey, { account, key });
    expect((await listed(account, key)).expires_at).toBe(expiry);
    await world.ask(RotateKey, { account, key, expires_at: null });
    expect((await listed(account, key)).expires_at).toBeNull();
    const later = new Date(Date.parse(expiry) + 60_000).toISOString();
    const { value } = await world.ask(RotateKey, { account, key, expires_at: later });
    expect((await listed(account, key)).expires_at).toBe(later);
    await eventuallyAdmitted(value);
    expect(gateway.key(key)?.expires).toBe(Date.parse(later));
  });

  it('needs a new expiry to rotate once expired', async () => {
    const { account, key } = await newKey('short', inAnHour());
    await expire(key);
    expect((await listed(account, key)).state).toBe('expired');
    expect(await world.outcome(RotateKey, { account, key })).toEqual({ code: 'key_expired' });
    const { value } = await world.ask(RotateKey, { account, key, expires_at: inAnHour() });
    expect((await listed(account, key)).state).toBe('active');
    await eventuallyAdmitted(value);
    await expire(key);
    expect((await world.ask(RevokeKey, { account, key })).id).toBe(key);
    expect((await listed(account, key)).state).toBe('revoked');
  });

  it('of another account is not found or changed', async () => {
    const { account, key, value } = await newKey('mine');
    await eventuallyAdmitted(value);
    const before = await listed(account, key);
    const foreign = await world.account();
    const others = [
      { account: foreign, key },
      { account: 999_999, key },
      { account, key: 999_999 },
    ];
    for (const address of others) {
      expect(await world.outcome(RenameKey, { ...address, name: 'stolen' })).toEqual({ code: 'key_not_found' });
      expect(await world.outcome(RotateKey, address)).toEqual({ code: 'key_not_found' });
      expect(await world.outcome(RevokeKey, address)).toEqual({ code: 'key_not_found' });
    }
    expect(await listed(account, key)).toEqual(before);
    expect(admitted(value)).toBe(true);
    await world.ask(RevokeKey, { account, key });
    expect(await world.outcome(RotateKey, { account: foreign, key })).toEqual({ code: 'key_not_found' });
  });

  it('is on exactly one page of a long list', async () => {
    const account = await world.account();
    await world.sql(
      `INSERT INTO keys.key (account_id, kind, name, mac, pepper, hint)
       SELECT $1, 'dep', repeat('🙂', 100), sha256(n::text::bytea), 'p1', 'svc_dep_test' FROM generate_series(1, 1001) n`,
      [account],
    );
    const seen: number[] = [];
    const sizes: number[] = [];
    let before: number | undefined;
    for (;;) {
      const { keys, next } = await world.ask(ListKeys, { account, ...(before !== undefined && { before }) });
      sizes.push(keys.length);
      seen.push(...keys.map(({ id }) => id));
      if (next === null || next === undefined) break;
      before = next;
    }
    expect(sizes).toEqual([500, 500, 1]);
    expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => b - a));
    expect(seen).toHaveLength(1_001);
  });

  it('is listed after keys with a thousand deployments each', async () => {
    const account = await world.account();
    await world.sql(
      `INSERT INTO keys.key (account_id, kind, name, mac, pepper, hint, deployments)
       SELECT $1, 'dep', 'a key', sha256(('long ' || n)::bytea), 'p1', 'svc_dep_test', (SELECT array_agg(1000000 + d) FROM generate_series(1, 1000) d)
       FROM generate_series(1, 400) n`,
      [account],
    );
    const seen: number[] = [];
    for (let before: KeyId | null | undefined; before !== null;) {
      const page: z.output<typeof ListKeys.reply> = await world.ask(ListKeys, { account, ...(before && { before }) });
      seen.push(...page.keys.map(({ id }) => id));
      before = page.next ?? null;
    }
    expect(new Set(seen).size).toBe(400);
    expect(seen).toHaveLength(400);
  });
});

describe('accounts', { timeout: 120_000 }, () => {
  let world: KeysWorld;

  beforeAll(async () => {
    world = await KeysWorld.start();
    await world.replica();
  });
  afterAll(() => world?.end());

  it('are listed in pages, oldest first, with state', async () => {
    expect(await world.ask(ListAccounts, {})).toEqual({ accounts: [], next: null });
    await world.sql(`INSERT INTO accounts.account (slug) SELECT 'many-' || n FROM generate_series(1, 600) n`);
    await world.sql(`UPDATE accounts.account SET state = 'suspended' WHERE slug = 'many-2'`);
    const first = await world.ask(ListAccounts, {});
    expect(first.accounts.map(({ slug }) => slug).slice(0, 3)).toEqual(['many-1', 'many-2', 'many-3']);
    expect(first.accounts.slice(0, 2).map(({ state }) => state)).toEqual(['active', 'suspended']);
    expect(first.next).toBe(first.accounts.at(-1)?.id);
    const second = await world.ask(ListAccounts, { after: first.next ?? undefined });
    expect(second.next).toBeNull();
    expect([...first.accounts, ...second.accounts]).toHaveLength(600);
    expect(new Set([...first.accounts, ...second.accounts].map(({ id }) => id)).size).toBe(600);
    const [{ slug, id } = expect.unreachable()] = second.accounts;
    expect(await world.ask(FindAccount, { slug })).toEqual({ id, slug });
  });
});

describe('invalid requests', { timeout: 120_000 }, () => {
  let world: KeysWorld;
  let good: Record<string, unknown>;

  beforeAll(async () => {
    world = await KeysWorld.start();
    await world.replica();
    const account = await world.account();
    const { id } = await world.ask(CreateKey, { account, name: 'a key' });
    good = { account, key: KeyId.parse(id), name: 'a name' };
  });
  afterAll(() => world?.end());

  const NUMBERS = [0, -1, 1.5, 2_147_483_648, '1', null, {}, [1], true];
  const NAMES = [
    '',
    '   ',
    'x'.repeat(101),
    'a\nb',
    'a\u0000b',
    'tab\there',
    '\u001b[31mred',
    '\ud800',
    'a\u2028b',
    'safe\u202etxt.exe',
    7,
    null,
  ];
  const EXPIRIES = [
    PAST,
    'tomorrow',
    '2099-01-01',
    '2099-01-01T00:00:00',
    '2099-02-30T00:00:00Z',
    '2099-13-01T00:00:00Z',
    '',
    4_102_444_800_000,
  ];
  const wrong = (
    contract: typeof CreateKey | typeof RenameKey | typeof RotateKey | typeof RevokeKey | typeof ListKeys,
    fields: Record<string, unknown[]>,
  ) =>
    Object.entries(fields).flatMap(([param, values]) =>
      values.map((value) => ({ contract, rpc: contract.subject.split('.').at(-1), param, value })),
    );

  it.each([
    ...wrong(CreateKey, { account: [...NUMBERS, undefined], name: [...NAMES, undefined], expires_at: [...EXPIRIES, null] }),
    ...wrong(ListKeys, { account: [...NUMBERS, undefined], before: NUMBERS }),
    ...wrong(RenameKey, { account: NUMBERS, key: [...NUMBERS, undefined], name: [...NAMES, undefined] }),
    ...wrong(RotateKey, { account: NUMBERS, key: [...NUMBERS, undefined], expires_at: EXPIRIES }),
    ...wrong(RevokeKey, { account: NUMBERS, key: [...NUMBERS, undefined] }),
  ])('name the wrong field: $rpc with $param = $value', async ({ contract, param, value }) => {
    const request = { ...good, [param]: value } as never;
    await expect(world.ask(contract, request)).rejects.toMatchObject({ code: 'invalid_request', param });
  });

  it('change nothing and log no warning or error', async () => {
    const [key] = await world.sql(`SELECT name, ver, state FROM keys.key`);
    expect(key).toEqual({ name: 'a key', ver: 1, state: 'active' });
    expect(await world.lastWords()).not.toContain('"event":"rpc.failed"');
  });
});
