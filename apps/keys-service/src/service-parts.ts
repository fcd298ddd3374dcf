import type { INestMicroservice } from '@nestjs/common';
import { type Actor, KeyFeed, type KeyFeedRecord, SessionFeed, type SessionFeedRecord } from '@slipway/contracts';
import { Database, databaseUrl, lockLosses, RefusalLog, SqlFeedStore, type Tx } from '@slipway/database';
import {
  Counter,
  createMetrics,
  createRpcApplication,
  type Lifecycle,
  type Logger,
  type NatsConnection,
  NatsLink,
  OpsServer,
  type Part,
  readWorkerSigning,
  type Registry,
  RpcServer,
  SecretVault,
  StreamClaims,
} from '@slipway/platform';
import { refusalCounter, RpcGate } from '@slipway/proof';
import { QuotaDefaults } from './accounts/quotas.service.js';
import { AppModule, type KeysRuntime } from './app.module.js';
import type { KeysConfig } from './config.js';
import { schema } from './db/schema.js';
import { KeyFeedPublisher } from './feed/key-feed-publisher.js';
import { KeyFeedSource } from './feed/key-feed-source.repository.js';
import { KeyMint } from './keys/key-minting.js';
import { IdentityProvider } from './sessions/identity-provider.js';
import { PeopleRepository } from './people/people.repository.js';
import { KnownProvider } from './sessions/provider-sign-in.service.js';
import { ownProofs } from './sessions/own-proofs.js';
import { SessionFeedPublisher } from './sessions/session-feed-publisher.js';
import { SessionFeedSource } from './sessions/session-feed-source.repository.js';
import { TokenScope } from './sessions/token-scope.js';
import { LimitUseMemory } from './usage/limit-use-memory.js';
import { Ledger } from './usage/ledger.service.js';
import { UsageIntake } from './usage/usage-intake.js';

const NAME = 'keys-service';

/** The parts of the process, in the order of their start. They stop in reverse: running calls keep feed, database and connection. */
export function serviceParts(config: KeysConfig, log: Logger, lifecycle: Lifecycle): Part[] {
  const url = databaseUrl({
    env: config.SLIPWAY_ENV,
    name: 'keys',
    serverUrl: config.DATABASE_URL,
    databaseUrl: config.KEYS_DATABASE_URL,
  });
  const database = new Database({ url, applicationName: NAME, ...schema, log });
  const { NATS_URL: natsUrl, NATS_CREDENTIALS_DIR: credentialsDir } = config;
  const link = new NatsLink({ url: natsUrl, role: 'keys', credentialsDir, name: NAME, log });
  let service: RunningService | undefined;
  const notReady = (): string | null => {
    if (lifecycle.state !== 'ready') return lifecycle.state;
    if (!link.up) return 'not connected to NATS';
    return service?.feed.serving === true ? null : 'the database does not answer';
  };
  const { OPS_HOST: host, OPS_PORT: port } = config;
  const metrics = createMetrics(NAME);
  metrics.registerMetric(lockLosses);
  const ops = new OpsServer({ host, port, metrics, notReady, log });
  return [
    { name: 'ops', start: () => ops.start(), stop: () => ops.stop() },
    { name: 'nats', start: () => link.open(), stop: () => link.close() },
    { name: 'database', start: () => database.open(), stop: () => database.close() },
    {
      name: 'rpc',
      start: async () => {
        service = await startService({ config, log, url, database, nats: link.nats, metrics });
      },
      stop: async () => {
        await service?.usage.stop();
        await service?.app.close();
        await Promise.all([service?.feed.stop(), service?.sessionFeed.stop(), service?.refusals.stop()]);
      },
    },
  ];
}

function providerOf({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId }: KeysConfig): IdentityProvider | null {
  return issuer === undefined || clientId === undefined ? null : new IdentityProvider({ issuer, clientId });
}

interface RunningService {
  readonly feed: KeyFeedPublisher;
  readonly sessionFeed: SessionFeedPublisher;
  readonly usage: UsageIntake;
  readonly refusals: RefusalLog;
  readonly app: INestMicroservice;
}

interface ServiceResources {
  readonly config: KeysConfig;
  readonly log: Logger;
  readonly url: string;
  readonly database: Database;
  readonly nats: NatsConnection;
  readonly metrics: Registry;
}

async function startService({ config, log, url, database, nats, metrics }: ServiceResources): Promise<RunningService> {
  const { SLIPWAY_ENV: env, DRAIN_MS: drainMs } = config;
  const { transactions } = database;
  const common = { url, applicationName: NAME, transactions, log };
  const feed = new KeyFeedPublisher({
    contract: KeyFeed,
    store: new SqlFeedStore<KeyFeedRecord>({ ...common, feed: KeyFeed.name }),
    source: new KeyFeedSource(transactions),
    nats,
    env,
    log,
  });
  const sessionFeed = new SessionFeedPublisher({
    contract: SessionFeed,
    store: new SqlFeedStore<SessionFeedRecord>({ ...common, feed: SessionFeed.name }),
    source: new SessionFeedSource(transactions),
    nats,
    env,
    log,
  });
  const refusals = new RefusalLog({ transactions, log, nameOf: addressOf });
  const gate = new RpcGate(
    ownProofs({ env, transactions, log }),
    refusalCounter(metrics, log, (refusal) => refusals.take(refusal)),
  );
  const server = new RpcServer({ nats, env, log, drainMs, admit: gate.admit, refused: gate.handlerRefused });
  const runtime = { log, transactions, feed, sessionFeed, refusals, ...(await configuredRuntime(config)) };
  const app = await createRpcApplication(AppModule.with(runtime), server, log);
  feed.start();
  sessionFeed.start();
  await app.listen();
  const usage = new UsageIntake({
    nats,
    env,
    log,
    ledger: app.get(Ledger),
    memory: app.get(LimitUseMemory),
    rejections: rejectionCounter(metrics),
    orphanWaitMs: config.USAGE_ORPHAN_WAIT_MS,
  });
  usage.start();
  return { feed, sessionFeed, usage, refusals, app };
}

/** The address of a person, for the audit log; null of a key. */
async function addressOf(tx: Tx, actor: Actor): Promise<string | null> {
  const person = actor.kind === 'user' ? await new PeopleRepository().find(tx, actor.user) : null;
  return person?.email ?? null;
}

type ConfiguredRuntime = Omit<KeysRuntime, 'log' | 'transactions' | 'feed' | 'sessionFeed' | 'refusals'>;

/** What follows from the configuration alone. */
async function configuredRuntime(config: KeysConfig): Promise<ConfiguredRuntime> {
  const { SLIPWAY_ENV: env, KEY_PEPPERS: peppers, SLIPWAY_SECRET_KEY: secretKeys } = config;
  return {
    mint: new KeyMint(peppers),
    vault: new SecretVault(secretKeys),
    scope: new TokenScope(env),
    provider: new KnownProvider(providerOf(config)),
    signing: await readWorkerSigning(config.NATS_CREDENTIALS_DIR),
    claims: new StreamClaims(peppers),
    quotas: new QuotaDefaults({ keys: config.QUOTA_KEYS, members: config.QUOTA_MEMBERS, invitations: config.QUOTA_INVITATIONS }),
  };
}

const rejectionCounter = (metrics: Registry): Counter<'why'> =>
  new Counter({
    name: 'slipway_usage_rejected_total',
    help: 'Records of usage that could not be counted and were set aside.',
    labelNames: ['why'],
    registers: [metrics],
  });
