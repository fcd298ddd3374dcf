import { Test } from '@nestjs/testing';
import type { INestMicroservice } from '@nestjs/common';
import {
  AccountId,
  CreateAccount,
  CreateKey,
  FindAccount,
  Incarnation,
  KeyFeed,
  type KeyFeedRecord,
  keyKindOf,
  ListKeys,
  SessionFeed,
  type SessionFeedRecord,
} from '@slipway/contracts';
import { Database, RefusalLog, SqlFeedStore } from '@slipway/database';
import {
  createLogger,
  type NatsConnection,
  RpcClient,
  RpcErrorFilter,
  RpcServer,
  SecretVault,
  StreamClaims,
  WorkerSigning,
} from '@slipway/platform';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QuotaDefaults } from '../../apps/keys-service/src/accounts/quotas.service.js';
import { AppModule } from '../../apps/keys-service/src/app.module.js';
import { schema } from '../../apps/keys-service/src/db/schema.js';
import { KeyFeedPublisher } from '../../apps/keys-service/src/feed/key-feed-publisher.js';
import { KeyFeedSource } from '../../apps/keys-service/src/feed/key-feed-source.repository.js';
import { KeyMint } from '../../apps/keys-service/src/keys/key-minting.js';
import { KnownProvider } from '../../apps/keys-service/src/sessions/provider-sign-in.service.js';
import { SessionFeedPublisher } from '../../apps/keys-service/src/sessions/session-feed-publisher.js';
import { SessionFeedSource } from '../../apps/keys-service/src/sessions/session-feed-source.repository.js';
import { TokenScope } from '../../apps/keys-service/src/sessions/token-scope.js';
import { Bus, ENV } from '../services/bus.js';
import { until } from '../testing/until.js';
import { SECRET_KEY } from './keys-service.js';

const log = createLogger('test', 'silent');
const peppers = [{ id: 'p1', secret: Buffer.alloc(32, 1) }];

describe('accounts and keys', () => {
  let postgres: TestPostgres;
  let bus: Bus;
  let url: string;
  let database: Database;
  let feed: KeyFeedPublisher;
  let app: INestMicroservice;
  let ops: RpcClient;
  let gateway: NatsConnection;

  beforeAll(async () => {
    [postgres, bus] = await Promise.all([startTestPostgres(), Bus.start()]);
    url = await postgres.createDatabase();
    const nats = await bus.connect('keys');
    database = new Database({ url, applicationName: 'keys test', ...schema, log });
    await database.open();
    const { transactions } = database;
    const store = new SqlFeedStore<KeyFeedRecord>({ feed: KeyFeed.name, url, applicationName: 'keys test', transactions, log });
    feed = new KeyFeedPublisher({ contract: KeyFeed, store, source: new KeyFeedSource(transactions), nats, env: ENV, log });
    const sessionFeed = new SessionFeedPublisher({
      contract: SessionFeed,
      store: new SqlFeedStore<SessionFeedRecord>({ feed: SessionFeed.name, url, applicationName: 'keys test', transactions, log }),
      source: new SessionFeedSource(transactions),
      nats,
      env: ENV,
      log,
    });
    const [vault, scope] = [new SecretVault(SECRET_KEY), new TokenScope(ENV)];
    const quotas = new QuotaDefaults({ keys: 1_000, members: 100, invitations: 50 });
    const parts = { transactions, feed, mint: new KeyMint(peppers) };
    const module = await Test.createTestingModule({
      imports: [
        AppModule.with({
          log,
          ...parts,
          sessionFeed,
          vault,
          scope,
          signing: new WorkerSigning(null),
          quotas,
          claims: new StreamClaims(peppers),
          provider: new KnownProvider(null),
          refusals: new RefusalLog({ transactions, log }),
        }),
      ],
    }).compile();
    app = module.createNestMicroservice({
      strategy: new RpcServer({ nats, env: ENV, log, drainMs: 1_000, admit: ({ request }) => Promise.resolve(request) }),
      logger: false,
    });
    app.useGlobalFilters(new RpcErrorFilter());
    feed.start();
    await app.listen();
    ops = new RpcClient(await bus.connect('ops'), ENV);
    gateway = await bus.connect('gateway');
  });

  afterAll(async () => {
    await app.close();
    await feed.stop();
    await database.close();
    await bus.end();
    await postgres.stop();
  });

  const account = async (slug: string): Promise<AccountId> => (await ops.call(CreateAccount, { slug })).id;

  it('an account is found under its slug, and an unknown slug finds none', async () => {
    const id = await account('acme');
    expect(await ops.call(FindAccount, { slug: 'acme' })).toEqual({ id, slug: 'acme' });
    await expect(ops.call(FindAccount, { slug: 'nobody' })).rejects.toMatchObject({ code: 'account_not_found' });
  });

  it('of ten requests for one slug at once, one gets it', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => account('wanted')));
    const refused = tries.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(refused).toHaveLength(9);
    for (const error of refused) expect(error).toMatchObject({ code: 'slug_taken' });
  });

  it('a key is shown whole once, and the list never shows a value', async () => {
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

  it('a list holds the keys of its account alone, and an unknown account has neither list nor keys', async () => {
    const [one, other] = [await account('one-of-two'), await account('two-of-two')];
    await ops.call(CreateKey, { account: one, name: 'mine' });
    expect(await ops.call(ListKeys, { account: other })).toEqual({ keys: [], next: null, playground: [] });
    await expect(ops.call(ListKeys, { account: 999_999 })).rejects.toMatchObject({ code: 'account_not_found' });
    await expect(ops.call(CreateKey, { account: 999_999, name: 'x' })).rejects.toMatchObject({ code: 'account_not_found' });
  });

  it.each([{ slug: 'UPPER' }, { slug: 'v1' }, { slug: '' }, {}, { slug: 7 }])('%j names no account: invalid_request', async (request) => {
    await expect(ops.call(CreateAccount, request as { slug: string })).rejects.toMatchObject({ code: 'invalid_request', param: 'slug' });
  });

  it('the snapshot of the feed holds every account and key, in pages, without any value', async () => {
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
