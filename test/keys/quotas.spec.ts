import {
  AcceptInvitation,
  type AccountId,
  type Actor,
  CreateInvitation,
  CreateKey,
  CreateMcpKey,
  FindAccountQuotas,
  isServiceError,
  ListKeys,
  RevokeInvitation,
  RevokeKey,
  SetAccountQuotas,
  SetKeyLimits,
} from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENV } from '../services/bus.js';
import { type Outcome, PatientRpc } from '../services/patient-rpc.js';
import { until } from '../testing/until.js';
import { KeysWorld } from './keys-world.js';

const OPS: Actor = { kind: 'ops' };
const PASSWORD = 'correct horse battery staple 42';

describe('the quota of an account', { timeout: 120_000 }, () => {
  let world: KeysWorld;
  beforeAll(async () => {
    world = await KeysWorld.start();
    // Both replicas count in one database.
    await Promise.all([world.replica({ QUOTA_INVITATIONS: '3' }), world.replica({ QUOTA_INVITATIONS: '3' })]);
  }, 120_000);
  afterAll(() => world?.end(), 60_000);

  const accountWith = async (quotas: Record<string, number>): Promise<AccountId> => {
    const account = await world.account();
    await world.ask(SetAccountQuotas, { account, quotas, actor: OPS });
    return account;
  };
  /** Retried while the service is too busy. */
  const outcome = (asked: Promise<unknown>): Promise<{ code?: string }> =>
    asked.then(
      () => ({}),
      (error: unknown) => ({ code: isServiceError(error) ? error.code : String(error) }),
    );
  const invite = (account: AccountId, email: string) =>
    outcome(world.ask(CreateInvitation, { account, email, role: 'member', actor: OPS }));
  const used = async (account: AccountId) => (await world.ask(FindAccountQuotas, { account })).used;
  /** Number of each outcome. */
  const tally = (outcomes: readonly { code?: string }[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { code = 'ok' } of outcomes) counts[code] = (counts[code] ?? 0) + 1;
    return counts;
  };

  it('of keys holds for concurrent creations', async () => {
    const account = await accountWith({ keys: 5 });
    const outcomes = await Promise.all(Array.from({ length: 25 }, (_, i) => outcome(world.ask(CreateKey, { account, name: `key ${i}` }))));
    expect(tally(outcomes)).toEqual({ ok: 5, quota_exceeded: 20 });
    expect((await used(account)).keys).toBe(5);
    await expect(world.ops.call(CreateKey, { account, name: 'one more' })).rejects.toMatchObject({
      code: 'quota_exceeded',
      message: 'This account has 5 of 5 deployment keys that are not revoked. Revoke one that is not needed, or ask the operator for more.',
    });
    const { keys } = await world.ask(ListKeys, { account });
    await world.ask(RevokeKey, { account, key: keys[0]!.id });
    await world.ask(CreateKey, { account, name: 'in its place' });
    // The MCP key does not count, and other accounts have their own quota.
    await world.ask(CreateMcpKey, { account });
    await world.ask(CreateKey, { account: await world.account(), name: 'elsewhere' });
  });

  it('of keys limits creations per day too', async () => {
    const account = await accountWith({ keys: 1 });
    await world.sql(
      `INSERT INTO keys.key (account_id, kind, name, mac, pepper, hint, state)
       SELECT $1, 'dep', 'gone', sha256(('gone' || n)::bytea), 'p1', 'svc_dep_gone', 'revoked' FROM generate_series(1, 100) n`,
      [account],
    );
    await expect(world.ops.call(CreateKey, { account, name: 'another' })).rejects.toMatchObject({ code: 'quota_exceeded' });
    expect((await used(account)).keys).toBe(0);
  });

  it('of invitations and members holds for concurrent additions', async () => {
    const account = await accountWith({ members: 2 });
    const emails = Array.from({ length: 25 }, (_, i) => `guest-${i}@quota.test`);
    expect(tally(await Promise.all(emails.map((email) => invite(account, email))))).toEqual({ ok: 3, quota_exceeded: 22 });
    const open = await world.sql<{ id: number; email: string }>(
      `SELECT id, email FROM people.invitation WHERE account_id = $1 AND closed_at IS NULL`,
      [account],
    );
    // An invitation that replaces one of the same address is allowed.
    const links = [await world.ask(CreateInvitation, { account, email: open[0]!.email, role: 'member', actor: OPS })];
    expect(await used(account)).toEqual({ keys: 0, members: 0, invitations: 3 });
    await world.ask(RevokeInvitation, { account, invitation: links[0]!.id, actor: OPS });
    await world.ask(SetAccountQuotas, { account, quotas: { invitations: 25 }, actor: OPS });
    const tokens: string[] = [];
    for (const email of ['a@quota.test', 'b@quota.test', 'c@quota.test', 'd@quota.test'])
      tokens.push((await world.ask(CreateInvitation, { account, email, role: 'member', actor: OPS })).token);
    const door = new PatientRpc(new RpcClient(await world.bus.connect('console'), ENV));
    // A service whose database is too busy asks for a retry.
    const join = (token: string): Promise<Outcome<unknown>> =>
      until('the invitation is answered', async () => {
        const outcome = await door.outcome(AcceptInvitation, { token, name: 'A Guest', password: PASSWORD, origin: {} });
        return outcome.code !== 'unavailable' && outcome;
      });
    const joined = await Promise.all(tokens.map(join));
    expect(tally(joined)).toEqual({ ok: 2, quota_exceeded: 2 });
    expect((await used(account)).members).toBe(2);
  });

  it('is set, shown with its use, and reset', async () => {
    const account = await world.account();
    const defaults = { keys: 200, members: 100, invitations: 3 };
    const none = { keys: 0, members: 0, invitations: 0 };
    expect(await world.ask(FindAccountQuotas, { account })).toEqual({ quotas: {}, defaults, used: none });
    await world.ask(SetAccountQuotas, { account, quotas: { keys: 7, uploads: 4 }, actor: OPS });
    await world.ask(SetAccountQuotas, { account, quotas: { keys: null, members: 0 }, actor: OPS });
    expect((await world.ask(FindAccountQuotas, { account })).quotas).toEqual({ uploads: 4, members: 0 });
    const audited = `SELECT facts FROM audit.entry WHERE action = 'account.quotas' AND account_id = $1 ORDER BY id DESC LIMIT 1`;
    expect(await world.sql(audited, [account])).toEqual([{ facts: { keys: '7 → default', members: 'default → 0' } }]);
  });

  it('lists the valid names when one is unknown', async () => {
    const account = await world.account();
    const { id: key } = await world.ask(CreateKey, { account, name: 'a key' });
    const unknown = (names: object): never => names as never;
    await expect(world.ops.call(SetAccountQuotas, { account, quotas: unknown({ keis: 4 }) })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'There is no quota named "keis"; there are keys, members, invitations, uploads.',
    });
    const message =
      'There is no limit named "requests_per_minut"; there are requests_per_minute, tokens_per_minute, concurrent_requests, tokens_per_day, tokens_per_month.';
    const limits = unknown({ requests_per_minut: 5 });
    await expect(world.ops.call(SetKeyLimits, { account, key, limits })).rejects.toMatchObject({ code: 'invalid_request', message });
    await expect(world.ops.call(CreateKey, { account, name: 'b', limits })).rejects.toMatchObject({ code: 'invalid_request', message });
  });
});

describe('a new key', { timeout: 120_000 }, () => {
  let world: KeysWorld;
  beforeAll(async () => {
    world = await KeysWorld.start();
    await world.replica();
  }, 120_000);
  afterAll(() => world?.end(), 60_000);

  it('is accepted by every gateway once propagated', async () => {
    const gateways = [await world.gateway('gw-1'), await world.gateway('gw-2')];
    const account = await world.account();
    await until(
      'the service has listened for long enough',
      async () => (await world.ask(CreateKey, { account, name: 'a key' })).propagated,
    );
    for (let i = 0; i < 15; i += 1) {
      const { value, propagated, missing } = await world.ask(CreateKey, { account, name: 'a key' });
      expect([propagated, missing]).toEqual([true, []]);
      expect(gateways.map((gateway) => gateway.admits(value))).toEqual([true, true]);
    }
  });
});
