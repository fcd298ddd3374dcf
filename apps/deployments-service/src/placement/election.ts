import { Inject, Injectable } from '@nestjs/common';
import { DeploymentFeed } from '@slipway/contracts';
import { type AdvisoryLock, Database, feedChannel } from '@slipway/database';
import { LOG, type Logger } from '@slipway/platform';
import { PlacementRepository } from './placement.repository.js';
import { Placer } from './placer.js';

/** Elects one placer among the replicas: the one whose session holds the database's lock begins the next term. */
@Injectable()
export class Election {
  readonly #lock: AdvisoryLock;

  constructor(database: Database, repository: PlacementRepository, placer: Placer, @Inject(LOG) log: Logger) {
    this.#lock = database.lock({
      name: 'placement',
      channel: feedChannel(DeploymentFeed.name),
      // A change may have been announced while the session was down.
      connected: () => placer.changed(),
      notified: () => placer.changed(),
      acquired: async () => placer.elected(await repository.nextTerm(this.#lock)),
      // The term goes on until a higher one is seen: without a database no other replica can be elected.
      lost: () => log.warn('placement.lock_lost'),
    });
  }

  start(): void {
    this.#lock.start();
  }

  stop(): Promise<void> {
    return this.#lock.stop();
  }
}
