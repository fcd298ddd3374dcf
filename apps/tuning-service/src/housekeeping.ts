import { Inject, Injectable } from '@nestjs/common';
import { Transactions } from '@slipway/database';
import { CONFIG, LOG, type Logger } from '@slipway/platform';
import { BlobStore } from './blobs/blob-store.js';
import { BlobUsesRepository } from './blobs/blob-uses.repository.js';
import { Tickets } from './blobs/tickets.js';
import type { TuningServiceConfig } from './config.js';
import { Leader } from './leader.js';
import { TuningMetrics } from './tuning-metrics.js';
import { UploadsService } from './uploads/uploads.service.js';

/** Time between two rounds, in milliseconds. */
const ROUND_MS = 60_000;

/** Removes what nothing uses any more, on the replica that leads: blobs, uploads whose time is over, used tickets. */
@Injectable()
export class Housekeeping {
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();

  // oxlint-disable-next-line slipway/max-params -- each thing that grows old is removed by its owner
  constructor(
    private readonly leader: Leader,
    private readonly blobs: BlobStore,
    private readonly uploads: UploadsService,
    private readonly tickets: Tickets,
    private readonly transactions: Transactions,
    private readonly uses: BlobUsesRepository,
    private readonly metrics: TuningMetrics,
    @Inject(CONFIG) private readonly config: TuningServiceConfig,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  start(): void {
    this.leader.on('elected', () => this.#begin());
    this.#timer = setInterval(() => this.#begin(), ROUND_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
  }

  #begin(): void {
    if (this.leader.leads) this.#round = this.#round.then(() => this.#tidy());
  }

  async #tidy(): Promise<void> {
    try {
      await this.uploads.tidy();
      await this.tickets.forgetExpired();
      const removed = await this.blobs.removeUnused(this.config.BLOB_KEEP_HOURS * 3_600);
      this.metrics.blobs(await this.transactions.read((connection) => this.uses.total(connection)));
      if (removed > 0) this.log.info({ removed }, 'blobs.removed');
    } catch (error) {
      this.log.warn({ err: error }, 'housekeeping.failed');
    }
  }
}
