import type { INestMicroservice } from '@nestjs/common';
import { DeploymentFeed, type DeploymentFeedRecord } from '@slipway/contracts';
import { type Database, RefusalLog, SqlFeedStore } from '@slipway/database';
import { FeedPublisher } from '@slipway/feed';
import {
  createRpcApplication,
  type Logger,
  type NatsConnection,
  type Registry,
  RpcClient,
  RpcServer,
  SecretVault,
} from '@slipway/platform';
import { FollowedProofs, refusalCounter, RpcGate } from '@slipway/proof';
import { AgentSealers } from './agents/agent-sealers.js';
import { AppModule } from './app.module.js';
import type { DeploymentsServiceConfig } from './config.js';
import { databaseOptions } from './db/database-options.js';
import { CredentialVault } from './deployments/credential-vault.js';
import { DeploymentDefaults } from './deployments/deployment-defaults.js';
import { SettingsComposer } from './deployments/revision-settings.js';
import { SettingBounds } from './deployments/setting-bounds.js';
import { SourceRules } from './deployments/source-rules.js';
import { DeploymentAnnouncer, type Transaction } from './feed/deployment-announcer.js';
import { FeedSourceRepository } from './feed/feed-source.repository.js';
import { ModelFolders } from './models/model-folders.js';
import { Placement } from './placement/placement.js';

export interface CoreOptions {
  readonly config: DeploymentsServiceConfig;
  readonly log: Logger;
  readonly database: Database;
  readonly nats: NatsConnection;
  readonly metrics: Registry;
}

/** What the service does once it has a database and a connection: feed, placement, RPC. */
export class ServiceCore {
  readonly #options: CoreOptions;
  readonly #vault: CredentialVault;
  readonly #sealers: AgentSealers;
  readonly #feed: FeedPublisher<DeploymentFeedRecord, Transaction>;
  readonly #placement: Placement;
  readonly #proofs: FollowedProofs;
  readonly #refusals: RefusalLog;
  #application: INestMicroservice | undefined;

  constructor(options: CoreOptions) {
    const { config, log, database, nats } = options;
    const { transactions } = database;
    const env = config.SLIPWAY_ENV;
    const { url, applicationName } = databaseOptions(config, log);
    this.#options = options;
    const clear = config.SEND_CLEAR_CREDENTIALS === 'to-old-workers';
    this.#sealers = new AgentSealers(clear);
    this.#vault = new CredentialVault(new SecretVault(config.SLIPWAY_SECRET_KEY));
    this.#proofs = new FollowedProofs({ nats, env, log });
    this.#refusals = new RefusalLog({ transactions, log });
    const store = new SqlFeedStore<DeploymentFeedRecord>({ feed: DeploymentFeed.name, url, applicationName, transactions, log });
    const source = new FeedSourceRepository(transactions);
    this.#feed = new FeedPublisher({ contract: DeploymentFeed, store, source, nats, env, log });
    this.#placement = new Placement({
      ...{ nats, env, log, transactions, feed: this.#feed, vault: this.#vault, sealers: this.#sealers, clear },
      database: { url, applicationName },
      threads: config.DEFAULT_THREADS ?? null,
      unknownModelBytes: config.UNKNOWN_MODEL_BYTES,
      handoverMs: config.HANDOVER_MS,
    });
  }

  async start(): Promise<void> {
    const { config, log, nats, database, metrics } = this.#options;
    this.#proofs.start();
    this.#feed.start();
    this.#placement.start();
    const defaults = new DeploymentDefaults({
      llamaSlots: config.DEFAULT_SLOTS,
      slotsMax: config.SLOTS_MAX,
      replicasMax: config.REPLICAS_MAX,
    });
    const bounds = new SettingBounds(
      {
        threads: config.THREADS_MAX ?? null,
        slots: config.SLOTS_MAX,
        context: config.CONTEXT_MAX,
        replicas: config.REPLICAS_MAX,
      },
      this.#placement.agents,
    );
    const module = AppModule.on({
      transactions: database.transactions,
      announcer: new DeploymentAnnouncer(this.#feed, this.#placement.placer),
      agents: this.#placement.agents,
      rules: new SourceRules({ modelDirs: config.MODEL_DIRS, modelHosts: config.MODEL_HOSTS, engineHosts: config.ENGINE_HOSTS }),
      bounds,
      quotas: { deployments: config.QUOTA_DEPLOYMENTS, replicas: config.QUOTA_REPLICAS, aliases: config.QUOTA_ALIASES },
      changesPerMinute: config.CHANGES_PER_MINUTE,
      ...{ settings: new SettingsComposer(this.#vault, defaults, bounds), vault: this.#vault, sealers: this.#sealers, defaults },
      folders: new ModelFolders(config.MODEL_DIRS),
      rpc: new RpcClient(nats, config.SLIPWAY_ENV),
      log,
    });
    const gate = new RpcGate(
      this.#proofs.reader,
      refusalCounter(metrics, log, (refusal) => this.#refusals.take(refusal)),
    );
    const rules = { admit: gate.admit, refused: gate.refused };
    const server = new RpcServer({ nats, env: config.SLIPWAY_ENV, log, drainMs: config.DRAIN_MS, ...rules });
    this.#application = await createRpcApplication(module, server, log);
    await this.#application.listen();
  }

  /** Answers what was asked, then places and publishes no more. */
  async stop(): Promise<void> {
    await this.#application?.close();
    await this.#refusals.stop();
    await this.#placement.stop();
    await this.#feed.stop();
    await this.#proofs.stop();
  }

  /** What keeps the service from answering, or null. */
  missing(): string | null {
    if (this.#placement.agents.listeningFor() === null) return 'no connection to NATS';
    return this.#placement.placer.databaseLost ? 'no answer from the database' : null;
  }
}
