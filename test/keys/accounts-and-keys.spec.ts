import { AccountId, CreateAccount, CreateKey, FindAccount, Incarnation, KeyFeed, keyKindOf, ListKeys } from '@slipway/contracts';
import { type NatsConnection, RpcClient } from '@slipway/platform';
import { type RunningService, startService } from '@slipway/platform/service';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keysService } from '../../apps/keys-service/src/keys-service.js';
import { Bus, ENV } from '../services/bus.js';
import { until } from '../testing/until.js';
import { PEPPER, SECRET_KEY } from './keys-service.js';

describe('accounts and keys', () => {
  let postgres: TestPostgres;
  let bus: Bus;
  let keys: RunningService;
  let ops: RpcClient;
  let gateway: NatsConnection;

  beforeAll(async () => {
    [postgres, bus] = await Promise.all([startTestPostgres(), Bus.start()]);
    keys = await startService(keysService, {
      SLIPWAY_ENV: ENV,
      NATS_URL: bus.url,
      NATS_CREDENTIALS_DIR: bus.credentialsDir,
      KEYS_DATABASE_URL: await postgres.createDatabase(),
      KEY_PEPPERS: `${PEPPER.id}:${PEPPER.secret.toString('hex')}`,
      SLIPWAY_SECRET_KEY: SECRET_KEY,
      QUOTA_KEYS: 1_000,
    });
    ops = new RpcClient(await bus.connect('ops'), ENV);
    gateway = await bus.connect('gateway');
  });

  afterAll(async () => {
    await keys.stop();
    await bus.end();
    await postgres.stop();
  });

  const account = async (slug: string): Promise<AccountId> => (await ops.call(CreateAccount, { slug })).id;

  it('finds an account by its slug only', async () => {
    const id = await account('acme');
    expect(await ops.call(FindAccount, { slug: 'acme' })).toEqual({ id, slug: 'acme' });
    await expect(ops.call(FindAccount, { slug: 'nobody' })).rejects.toMatchObject({ code: 'account_not_found' });
  });

  it('gives a slug to one of ten concurrent requests', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => account('wanted')));
    const refused = tries.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(refused).toHaveLength(9);
    for (const error of refused) expect(error).toMatchObject({ code: 'slug_taken' });
  });

  it("shows a key's value only once", async () => {
    const id = await account('lister');
    const created = await ops.call(CreateKey, { account: id, name: '  first  ' });
    expect(keyKindOf(created.value)).toBe('dep');
    expect(created.hint).toBe(created.value.slice(0, 12));
    const second = await ops.call(CreateKey, { account: id, name: 'second' });
    const reply = await ops.call(ListKeys, { account: id });
    expect(reply.keys.map(({ name, hint, state }) => ({ name, hint, state }))).toEqual([
      { name: 'second', hint: second.hint, state: 'active' },
      { name: 'first', hint: created.hint, state: 'active' },
    ]);
    expect(JSON.stringify(reply)).not.toContain(created.value.slice(12));
  });

  it('lists only the keys of the given account', async () => {
    const [one, other] = [await account('one-of-two'), await account('two-of-two')];
    await ops.call(CreateKey, { account: one, name: 'mine' });
    expect(await ops.call(ListKeys, { account: other })).toEqual({ keys: [], next: null, playground: [], evaluation: [] });
    await expect(ops.call(ListKeys, { account: 999_999 })).rejects.toMatchObject({ code: 'account_not_found' });
    await expect(ops.call(CreateKey, { account: 999_999, name: 'x' })).rejects.toMatchObject({ code: 'account_not_found' });
  });

  it.each([{ slug: 'UPPER' }, { slug: 'v1' }, { slug: '' }, {}, { slug: 7 }])(
    'rejects the slug %j as an invalid request',
    async (request) => {
      await expect(ops.call(CreateAccount, request as { slug: string })).rejects.toMatchObject({ code: 'invalid_request', param: 'slug' });
    },
  );

  it('publishes all accounts and keys without any value', async () => {
    const rpc = new RpcClient(gateway, ENV);
    const reader = Incarnation.parse('snapshot-test');
    await until('the first epoch', () =>
      rpc.call(KeyFeed.snapshot, { reader, cursor: null }).then(
        () => true,
        () => false,
      ),
    );
    const id = await account('many-keys');
    const keys = [];
    for (let i = 0; i < 3; i += 1) keys.push(await ops.call(CreateKey, { account: id, name: `k${i}` }));
    const page = await rpc.call(KeyFeed.snapshot, { reader, cursor: null });
    const ids = page.records.map((record) => record.id);
    expect(ids).toContain(`account:${id}`);
    for (const key of keys) expect(ids).toContain(`key:${key.id}`);
    expect(new Set(ids).size).toBe(ids.length);
    for (const key of keys) expect(JSON.stringify(page)).not.toContain(key.value.slice(12));
  });
});
