import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { DeploymentFeed, isServiceError } from '@slipway/contracts';
import { type AdvisoryLock, Database, feedChannel } from '@slipway/database';
import { ChangeBudget, CONFIG, LOG, type Logger, Ticker } from '@slipway/platform';
import { AgentTable } from '../agents/agent-table.js';
import { Autoscaler } from '../autoscaling/autoscaler.js';
import { PlacementMetrics } from '../autoscaling/placement-metrics.js';
import type { DeploymentsServiceConfig } from '../config.js';
import { AssignmentSender } from './assignment-sender.js';
import { DrainWaits } from './drain-waits.js';
import { PlacementState, type Round } from './placement-state.js';
import { PlacementRepository, stateChanges } from './placement.repository.js';
import { TargetLoader } from './target-loader.js';
import type { Target } from './target.js';

/** How long a new placer receives heartbeats before it places anything, so that it adopts what runs; in milliseconds. */
const ADOPT_MS = 1_500;
/** Interval of rounds after a change, in milliseconds; at rest they follow each other once a second. */
const ROUND_MS = 250;
/**
 * Interval at which deployments are read without a change, in milliseconds, to within a round. Changes wake the placer: own ones
 * by a call, those of other replicas by NOTIFY. `GAP_MS` is the least time between two reads.
 */
const READ_MS = 1_900;
const GAP_MS = 50;
/** Bounds how often a deployment's state is published. A postponed change is not lost: each round compares the newest state again. */
const PUBLISHED = { burst: 8, refillMs: 5_000 };

/**
 * Keeps deployments running on agents during this replica's term. Placing and sending assignments needs no database: while it is
 * unavailable, the last known deployments are kept running. A higher term in the database ends this one.
 */
@Injectable()
export class Placer {
  readonly #agents: AgentTable;
  readonly #repository: PlacementRepository;
  readonly #loader: TargetLoader;
  readonly #sender: AssignmentSender;
  readonly #scaler: Autoscaler;
  readonly #metrics: PlacementMetrics;
  readonly #log: Logger;
  /** True if agents without a key get secrets unsealed. */
  readonly #clear: boolean;
  readonly #budget = new ChangeBudget(PUBLISHED);
  readonly #stopping = new AbortController();
  #state: PlacementState;
  #waits = new DrainWaits();
  #term: number | null = null;
  #targets: readonly Target[] | null = null;
  /** Ends the loop's wait. */
  #wake: () => void = () => undefined;
  #isChanged = false;
  /** When deployments were last read, or began to be. */
  #readAt = Number.NEGATIVE_INFINITY;
  #databaseLost = false;
  /** Number of live agents in the last round. */
  #live = 0;
  readonly #rounds = new Ticker({
    tickMs: ROUND_MS,
    tick: () => this.#onInterval(),
    isBusy: () => this.#isAdopting(),
    clock: () => performance.now(),
  });
  #loop: Promise<void> = Promise.resolve();

  // oxlint-disable-next-line slipway/max-params -- a round reads, places, sends, scales and is measured; each dependency does one of these
  constructor(
    agents: AgentTable,
    repository: PlacementRepository,
    loader: TargetLoader,
    sender: AssignmentSender,
    scaler: Autoscaler,
    metrics: PlacementMetrics,
    @Inject(CONFIG) { SEND_CLEAR_CREDENTIALS: send }: DeploymentsServiceConfig,
    @Inject(LOG) log: Logger,
  ) {
    this.#agents = agents;
    this.#repository = repository;
    this.#loader = loader;
    this.#sender = sender;
    this.#scaler = scaler;
    this.#metrics = metrics;
    this.#log = log;
    this.#clear = send === 'to-old-workers';
    this.#state = new PlacementState(this.#clear);
  }

  /** The reason that /readyz gives; null when the service is ready. */
  notReady(): string | null {
    return this.#databaseLost ? 'the database does not answer' : null;
  }

  start(): void {
    this.#rounds.start();
    this.#loop = this.#run();
  }

  /** Stops placing. Agents keep what they run. */
  async stop(): Promise<void> {
    this.#rounds.stop();
    this.#stopping.abort();
    this.#wake();
    await this.#loop;
  }

  /** Begins a term. State of an earlier term is kept only if no other placer had a term in between. */
  elected({ term, former }: { term: number; former: number }): void {
    if (this.#term !== former) {
      this.#state = new PlacementState(this.#clear);
      this.#waits = new DrainWaits();
      this.#targets = null;
      this.#scaler.forget();
    }
    this.#term = term;
    this.#log.info({ term }, 'placement.elected');
    this.changed();
  }

  /** Reads and places at once, since deployments or agents changed. */
  changed(): void {
    this.#rounds.wake();
    this.#readSoon();
  }

  #readSoon(): void {
    this.#isChanged = true;
    this.#wake();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      if (!this.#isChanged) await new Promise<void>((resolve) => (this.#wake = resolve));
      const early = this.#readAt + GAP_MS - performance.now();
      if (early > 0) await delay(early, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      this.#isChanged = false;
      this.#readAt = performance.now();
      await this.#refresh();
      this.#readAt = performance.now();
    }
  }

  async #refresh(): Promise<void> {
    try {
      // A standby replica reads as well: its readiness depends on the database.
      await (this.#term === null ? this.#standBy() : this.#readAndWrite(this.#term));
      this.#databaseBack();
    } catch (error) {
      this.#databaseFailed(error);
    }
  }

  async #standBy(): Promise<void> {
    this.#agents.drain((await this.#repository.term()).drained);
  }

  async #readAndWrite(own: number): Promise<void> {
    const { term, drained, targets } = await this.#repository.targets();
    this.#agents.drain(drained);
    if (term > own) return this.#stepDown(own, term);
    const complete = await this.#loader.complete(targets);
    if (this.#term !== own) return undefined;
    this.#targets = complete;
    const round = this.#decideAndSend();
    return round ? this.#write(own, complete, round) : undefined;
  }

  async #write(term: number, targets: readonly Target[], round: Round): Promise<void> {
    const now = performance.now();
    const waits = this.#waits.changes(round, now);
    if (waits.length > 0) await this.#repository.writeWaits(term, waits);
    const changes = stateChanges(targets, round.observations, this.#budget, now);
    if (changes.length > 0) await this.#repository.writeStates(term, changes);
    const scalings = this.#scaler.decide(targets, round, now);
    if (scalings.length === 0) return;
    await this.#repository.writeScalings(term, scalings);
    for (const { dep: deployment, ...scaling } of scalings) this.#log.info({ deployment, ...scaling }, 'placement.scaled');
    this.#metrics.scaled(scalings);
    this.#readSoon();
  }

  /** A change in the number of live agents wakes the loop, so that states are written at once. */
  #onInterval(): void {
    const live = this.#agents.live().length;
    if (live !== this.#live) this.changed();
    else if (performance.now() - this.#readAt >= READ_MS) this.#readSoon();
    this.#live = live;
    this.#decideAndSend();
  }

  /** Places and sends assignments; null while this replica must not place or placing failed. */
  #decideAndSend(): Round | null {
    const live = this.#agents.live();
    if (this.#term === null || this.#targets === null || this.#isAdopting()) return null;
    try {
      const round = this.#state.round(this.#targets, live, performance.now());
      this.#sender.send(this.#term, round.assignments, this.#targets, live);
      this.#metrics.placed(round, (dep) => this.#scaler.wanted(dep));
      return round;
    } catch (error) {
      this.#log.error({ err: error }, 'placement.round_failed');
      return null;
    }
  }

  #isAdopting(): boolean {
    return (this.#agents.listeningFor() ?? 0) < ADOPT_MS;
  }

  #stepDown(own: number, newer: number): void {
    // This replica was elected again while the database was read.
    if (this.#term !== own) return;
    this.#log.info({ term: own, newer }, 'placement.stepped_down');
    this.#term = null;
    this.#targets = null;
    this.#metrics.clear();
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

/** Elects one placer among the replicas: the one whose session holds the database lock begins the next term. */
@Injectable()
export class Election {
  readonly #lock: AdvisoryLock;

  constructor(database: Database, repository: PlacementRepository, placer: Placer, @Inject(LOG) log: Logger) {
    this.#lock = database.lock({
      name: 'placement',
      channel: feedChannel(DeploymentFeed.name),
      // A NOTIFY may have been missed while the session was down.
      connected: () => placer.changed(),
      notified: () => placer.changed(),
      acquired: async () => placer.elected(await repository.nextTerm(this.#lock)),
      // The term continues until a higher one is read: without a database no other replica can be elected.
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
