import { Inject, Injectable } from '@nestjs/common';
import type { TrainingItem } from '@slipway/contracts';
import { LOG, type Logger } from '@slipway/platform';
import { Leader } from '../leader.js';
import { TrainerTable } from '../trainers/trainer-table.js';
import { Assigner } from './assigner.js';
import { PlacementRounds } from './placement-rounds.js';

/** Pause between two rounds, in milliseconds: changes that come together are seen together. */
const ROUND_MS = 100;
/** Interval at which time alone is looked at, in milliseconds: silent workers, assignments to repeat. */
const TICK_MS = 1_000;
/** Rounds without a change are made at this interval while nothing is placed, in milliseconds. */
const IDLE_MS = 30_000;
/** Pause between two questions of a replica that does not lead, in milliseconds. */
const PROBE_MS = 2_000;

/**
 * Places jobs on training workers while this replica leads. Without a worker and a job it rests. While the database is away, workers
 * keep what they have.
 */
@Injectable()
export class Placer {
  #term: number | null = null;
  #timer: NodeJS.Timeout | undefined;
  #pause: NodeJS.Timeout | undefined;
  #round: Promise<void> | null = null;
  #isDue = false;
  #isStopped = false;
  #items: ReadonlyMap<string, TrainingItem[]> | null = null;
  #isBusy = false;
  #roundedAt = 0;
  #isDatabaseLost = false;
  #probing: Promise<void> | null = null;
  #probedAt = 0;

  constructor(
    private readonly leader: Leader,
    private readonly rounds: PlacementRounds,
    private readonly assigner: Assigner,
    private readonly table: TrainerTable,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  start(): void {
    this.leader.on('elected', (term) => {
      [this.#term, this.#items] = [term, null];
      this.#look();
    });
    this.leader.on('lost', () => {
      this.#term = null;
    });
    this.leader.on('work', () => this.#look());
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    clearTimeout(this.#pause);
    await this.#round;
    await this.#probing;
  }

  /** Why /readyz says no; null when the service is ready. */
  notReady(): string | null {
    return this.#isDatabaseLost ? 'the database does not answer' : null;
  }

  #tick(): void {
    if (this.#term === null) return this.#probe();
    if (this.#isBusy || performance.now() - this.#roundedAt > IDLE_MS) this.#look();
    this.#send();
  }

  /** A replica that does not lead asks the database whether it is there: its readiness depends on that. */
  #probe(): void {
    if (this.#probing || performance.now() - this.#probedAt < PROBE_MS) return;
    this.#probedAt = performance.now();
    this.#probing = this.leader
      .term()
      .then(
        () => this.#databaseIs(true),
        (error: unknown) => this.#databaseIs(false, error),
      )
      .finally(() => {
        this.#probing = null;
      });
  }

  #databaseIs(isThere: boolean, error?: unknown): void {
    if (isThere && this.#isDatabaseLost) this.log.info('placement.database_back');
    if (!isThere && !this.#isDatabaseLost) this.log.warn({ err: error }, 'placement.round_failed');
    this.#isDatabaseLost = !isThere;
  }

  #look(): void {
    this.#isDue = true;
    if (this.#round || this.#pause || this.#term === null || this.#isStopped) return;
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      this.#round = this.#run().finally(() => {
        this.#round = null;
        if (this.#isDue) this.#look();
      });
    }, ROUND_MS);
  }

  async #run(): Promise<void> {
    this.#isDue = false;
    const term = this.#term;
    try {
      const { items, isBusy } = await this.rounds.run();
      this.#roundedAt = performance.now();
      if (this.#term !== term) return;
      [this.#items, this.#isBusy] = [items, isBusy];
      this.#send();
      this.#databaseIs(true);
    } catch (error) {
      this.#databaseIs(false, error);
      // The next tick tries again.
      this.#isBusy = true;
    }
  }

  #send(): void {
    if (this.#term !== null && this.#items !== null) this.assigner.send(this.#term, this.table.live(), this.#items);
  }
}
