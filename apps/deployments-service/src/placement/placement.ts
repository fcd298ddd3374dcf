import type { DeploymentFeedRecord } from '@slipway/contracts';
import { AdvisoryLock, type Transactions } from '@slipway/database';
import type { FeedPublisher } from '@slipway/feed';
import type { Logger, NatsConnection } from '@slipway/platform';
import { AgentListener } from '../agents/agent-listener.js';
import type { AgentSealers } from '../agents/agent-sealers.js';
import { AgentTable } from '../agents/agent-table.js';
import type { CredentialVault } from '../deployments/credential-vault.js';
import type { Transaction } from '../feed/deployment-announcer.js';
import { AssignmentSender, itemBytesMax } from './assignment-sender.js';
import { ModelSizes } from './model-sizes.js';
import { PlacementRepository } from './placement.repository.js';
import { PlacerService } from './placer.service.js';
import { TargetLoader } from './target-loader.js';

export interface PlacementOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  readonly log: Logger;
  readonly database: { readonly url: string; readonly applicationName: string };
  readonly transactions: Transactions;
  readonly feed: FeedPublisher<DeploymentFeedRecord, Transaction>;
  readonly vault: CredentialVault;
  readonly sealers: AgentSealers;
  /** Agents without a key get secrets in clear. */
  readonly clear: boolean;
  /** Threads per model; null = half of the agent's processors. */
  readonly threads: number | null;
  readonly unknownModelBytes: number;
  /** Time for which a revision stays loaded after its successor took over. */
  readonly handoverMs: number;
}

/** This replica's part in placement: it listens to agents, stands for election, and places while elected. */
export class Placement {
  readonly agents = new AgentTable(() => performance.now());
  readonly placer: PlacerService;
  readonly #listener: AgentListener;
  readonly #lock: AdvisoryLock;

  constructor(options: PlacementOptions) {
    const { nats, env, log, database, vault, feed, transactions } = options;
    const repository = new PlacementRepository(transactions, options.handoverMs);
    this.placer = new PlacerService({
      agents: this.agents,
      store: {
        term: () => repository.term(),
        targets: () => repository.targets(),
        write: (term, sightings) => repository.writeSightings(term, sightings, (tx, change) => feed.record(tx, change)),
      },
      loader: new TargetLoader({
        sizes: new ModelSizes(),
        vault,
        unknownModelBytes: options.unknownModelBytes,
        itemBytesMax: () => itemBytesMax(nats),
      }),
      sender: new AssignmentSender({ nats, env, log, vault, sealers: options.sealers, threads: options.threads }),
      clear: options.clear,
      log,
    });
    this.#listener = new AgentListener({ nats, env, log, table: this.agents, changed: () => this.placer.changed() });
    this.#lock = new AdvisoryLock({
      url: database.url,
      name: 'placement',
      applicationName: `${database.applicationName} placement`,
      log,
      acquired: async () => this.placer.elected(await repository.nextTerm(this.#lock)),
      // The term goes on until a higher one is seen: without a database nobody else can be elected.
      lost: () => log.warn('placement.lock_lost'),
    });
  }

  start(): void {
    this.#listener.start();
    this.placer.start();
    this.#lock.start();
  }

  async stop(): Promise<void> {
    this.#listener.stop();
    await this.placer.stop();
    await this.#lock.stop();
  }
}
