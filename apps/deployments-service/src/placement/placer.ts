import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { isServiceError } from '@slipway/contracts';
import { CONFIG, LOG, type Logger } from '@slipway/platform';
import { AgentTable } from '../agents/agent-table.js';
import { ChangeBudget } from '../change-budget.js';
import type { DeploymentsServiceConfig } from '../config.js';
import { AssignmentSender } from './assignment-sender.js';
import { PlacementRepository } from './placement.repository.js';
import { PlacementBoard, type Round } from './placement-board.js';
import { newSightings } from './sightings.js';
import type { Target } from './target.js';
import { TargetLoader } from './target-loader.js';

/** Heartbeats are heard for so long before anything is placed: a new placer adopts what runs, in milliseconds. */
const ADOPT_MS = 1_500;
const ROUND_MS = 250;
/**
 * The deployments are read so often where no change is announced, in milliseconds. Each change is announced: own ones by a
 * call, those of other replicas by NOTIFY. Reads follow each other by `GAP_MS` at least.
 */
const READ_MS = 2_000;
const GAP_MS = 50;
/** How often a deployment's state is published. A change that is put off is not lost: the newest state is compared again with each round. */
const PUBLISHED = { burst: 8, refillMs: 5_000 };

/**
 * Keeps deployments running on agents while this replica's term lasts. Deciding and informing agents needs no database: while
 * it is away, the last known deployments are kept running. A higher term in the database ends this one.
 */
@Injectable()
export class Placer {
  readonly #agents: AgentTable;
  readonly #repository: PlacementRepository;
  readonly #loader: TargetLoader;
  readonly #sender: AssignmentSender;
  readonly #log: Logger;
  /** True where agents without a key get secrets in clear. */
  readonly #clear: boolean;
  readonly #budget = new ChangeBudget(PUBLISHED);
  readonly #stopping = new AbortController();
  #board: PlacementBoard;
  #term: number | null = null;
  #targets: readonly Target[] | null = null;
  #wake = new AbortController();
  #databaseLost = false;
  /** Agents that were alive at the last round. */
  #live = 0;
  #timer: NodeJS.Timeout | undefined;
  #loop: Promise<void> = Promise.resolve();

  constructor(
    agents: AgentTable,
    repository: PlacementRepository,
    loader: TargetLoader,
    sender: AssignmentSender,
    @Inject(CONFIG) { SEND_CLEAR_CREDENTIALS: send }: DeploymentsServiceConfig,
    @Inject(LOG) log: Logger,
  ) {
    this.#agents = agents;
    this.#repository = repository;
    this.#loader = loader;
    this.#sender = sender;
    this.#log = log;
    this.#clear = send === 'to-old-workers';
    this.#board = new PlacementBoard(this.#clear);
  }

  /** As /readyz says it. */
  notReady(): string | null {
    return this.#databaseLost ? 'the database does not answer' : null;
  }

  start(): void {
    this.#timer = setInterval(() => this.#beat(), ROUND_MS);
    this.#loop = this.#run();
  }

  /** Decides no more. What runs keeps running. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    this.#wake.abort();
    await this.#loop;
  }

  /** This replica was elected. What it knows is worth keeping only if nobody placed since its own last term. */
  elected({ term, former }: { term: number; former: number }): void {
    if (this.#term !== former) {
      this.#board = new PlacementBoard(this.#clear);
      this.#targets = null;
    }
    this.#term = term;
    this.#log.info({ term }, 'placement.elected');
    this.changed();
  }

  /** Deployments or agents changed: looks at once. */
  changed(): void {
    this.#wake.abort();
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await delay(READ_MS, undefined, { signal: this.#wake.signal }).catch(() => undefined);
      this.#wake = new AbortController();
      if (this.#stopping.signal.aborted) return;
      await this.#look();
      await delay(GAP_MS, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    try {
      // A replica that only stands by wants to know of its database too, for its readiness.
      await (this.#term === null ? this.#repository.term() : this.#readAndWrite(this.#term));
      this.#databaseBack();
    } catch (error) {
      this.#databaseFailed(error);
    }
  }

  async #readAndWrite(own: number): Promise<void> {
    const { term, targets } = await this.#repository.targets();
    if (term > own) return this.#stepDown(own, term);
    const complete = await this.#loader.complete(targets);
    if (this.#term !== own) return undefined;
    this.#targets = complete;
    const round = this.#tell();
    return round ? this.#write(own, complete, round) : undefined;
  }

  async #write(term: number, targets: readonly Target[], { observations }: Round): Promise<void> {
    const sightings = newSightings(targets, observations, this.#budget, performance.now());
    if (sightings.length > 0) await this.#repository.writeSightings(term, sightings);
  }

  /** An agent that fell silent announces nothing: what that changes is written now, not at the next read. */
  #beat(): void {
    const live = this.#agents.live().length;
    if (live !== this.#live) this.changed();
    this.#live = live;
    this.#tell();
  }

  /** Decides and tells agents; null while this is not to be done. */
  #tell(): Round | null {
    const live = this.#agents.live();
    if (this.#term === null || this.#targets === null || (this.#agents.listeningFor() ?? 0) < ADOPT_MS) return null;
    try {
      const round = this.#board.round(this.#targets, live, performance.now());
      this.#sender.send(this.#term, round.assignments, this.#targets, live);
      return round;
    } catch (error) {
      this.#log.error({ err: error }, 'placement.round_failed');
      return null;
    }
  }

  #stepDown(own: number, newer: number): void {
    // Elected anew while the database was read.
    if (this.#term !== own) return;
    this.#log.info({ term: own, newer }, 'placement.stepped_down');
    this.#term = null;
    this.#targets = null;
  }

  #databaseFailed(error: unknown): void {
    const expected = isServiceError(error) && error.code === 'unavailable';
    if (!expected) this.#log.error({ err: error }, 'placement.read_failed');
    else if (!this.#databaseLost) this.#log.warn({ err: error }, 'placement.database_lost');
    this.#databaseLost ||= expected;
  }

  #databaseBack(): void {
    if (this.#databaseLost) this.#log.info('placement.database_back');
    this.#databaseLost = false;
  }
}
