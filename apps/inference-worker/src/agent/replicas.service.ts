import { Inject, Injectable } from '@nestjs/common';
import type { AgentLoad, AssignmentItem, DeploymentId } from '@slipway/contracts';
import { CONFIG } from '@slipway/platform';
import type { WorkerConfig } from '../config.js';
import { AdapterFiles } from './adapter-files.js';
import { AdapterFolders } from './adapter-folders.js';
import { ModelSources } from './model-sources.js';
import type { DrainOptions, RunnerFigures } from '../runner/runner-messages.js';
import type { OpenItem, WholeAssignment } from './assignment-reader.js';
import { LogBook } from './log-book.js';
import type { MemoryClaim } from './memory.js';
import { Replica } from './replica.js';
import { RunnerStarter } from './runner-starter.js';
import { WorkerMetrics } from './worker-metrics.js';

/**
 * Identifies an item by all that its engine is made of. The account is left out: older senders do not name it.
 */
const identityOf = ({ account: _, ...item }: OpenItem): string => JSON.stringify(item);

/** Time of streams whose replica leaves only because fewer are needed, in milliseconds: longer than any stream. */
const LEAVE_MS = 24 * 3_600_000;

/** The report of an item whose credential cannot be opened here, so that its engine would refuse every request. */
const refusalOf = ({ dep, rev }: AssignmentItem): AgentLoad => ({
  ...{ dep, rev, state: 'failed', progress: null, pid: null, context: null, caps: [] },
  reason: 'engine_refused',
  detail: 'The sealed credential of this deployment cannot be opened by this worker.',
});

/** Starts and stops replicas so that this worker runs what is assigned to it. */
@Injectable()
export class ReplicasService {
  readonly #replicas = new Map<string, Replica>();
  readonly #stopping = new Map<Replica, Promise<void>>();
  /** Of these, the ones whose streams may take their time, until their deployment is stopped. */
  readonly #leaving = new Set<Replica>();
  #assigned: ReadonlySet<string> = new Set();
  /** Deployments that their owners stopped; absent from a placer that does not list them. */
  #stopped: ReadonlySet<DeploymentId> | undefined;
  /** Deployments that need a replica less. */
  #reduced: ReadonlySet<DeploymentId> = new Set();
  #unreadable: readonly AgentLoad[] = [];
  #closed = false;
  #retiring = false;
  #changed: () => void = () => undefined;

  // oxlint-disable-next-line slipway/max-params -- what a replica is made of
  constructor(
    @Inject(CONFIG) private readonly config: WorkerConfig,
    private readonly book: LogBook,
    private readonly models: ModelSources,
    private readonly adapters: AdapterFiles,
    private readonly folders: AdapterFolders,
    private readonly runners: RunnerStarter,
    private readonly metrics: WorkerMetrics,
  ) {}

  /** Sets the callback for changes of the reports; it is called often. */
  onChange(changed: () => void): void {
    this.#changed = changed;
  }

  /** Starts replicas of new items, and stops those that are not listed. */
  apply({ items, unreadable, stopped, leaving }: WholeAssignment): void {
    if (this.#closed) return;
    this.#unreadable = unreadable.map(refusalOf);
    this.#stopped = stopped && new Set(stopped);
    this.#reduced = new Set(leaving);
    const assigned = new Map(items.map((item) => [identityOf(item), item]));
    this.#assigned = new Set(assigned.keys());
    for (const [identity, item] of assigned) if (!this.#replicas.has(identity)) this.#place(identity, item);
    this.#retire();
  }

  /** A stopping replica is left out where another one of the same revision is reported. */
  reports(): AgentLoad[] {
    const kept = [...this.#replicas.values()].map(({ report }) => report);
    const leaving = [...this.#stopping.keys()].map(({ report }) => report);
    const present = new Set(kept.map(({ dep, rev }) => `${dep}:${rev}`));
    return [...kept, ...[...leaving, ...this.#unreadable].filter(({ dep, rev }) => !present.has(`${dep}:${rev}`))];
  }

  claims(): MemoryClaim[] {
    return this.#all().map(({ claim }) => claim);
  }

  figures(): RunnerFigures[] {
    return this.#all().flatMap(({ figures }) => figures ?? []);
  }

  /** Applies no more assignments, and stops all replicas within `deadlineMs`. */
  async stop(deadlineMs: number): Promise<void> {
    this.#closed = true;
    const suspended = this.models.suspend();
    const options = { deadlineMs, stopped: false };
    for (const replica of this.#stopping.keys()) void replica.stop(options);
    for (const identity of [...this.#replicas.keys()]) this.#stopReplica(identity, options);
    await Promise.all([suspended, ...this.#stopping.values()]);
  }

  #all(): Replica[] {
    return [...this.#replicas.values(), ...this.#stopping.keys()];
  }

  #place(identity: string, item: OpenItem): void {
    const log = this.book.open(item);
    const replica = new Replica({
      item,
      models: this.models,
      adapters: this.adapters,
      folders: this.folders,
      nameRunner: () => this.runners.name(item.dep),
      startRunner: ({ model, ...rest }, listener) => this.runners.start({ item, log, ...rest }, model, listener),
      changed: () => {
        this.#retireSoon();
        this.#changed();
      },
      figures: (now, before) => this.metrics.add(now, before),
      crashed: () => this.metrics.crashed(),
      log: log.logger,
    });
    this.#replicas.set(identity, replica);
    log.logger.info({ source: item.source.kind }, 'placement.assigned');
    void replica.run();
  }

  /** Retires once for all changes of this turn: thousands of replicas may change at the same time. */
  #retireSoon(): void {
    if (this.#retiring) return;
    this.#retiring = true;
    setImmediate(() => {
      this.#retiring = false;
      if (!this.#closed) this.#retire();
    });
  }

  /** Stops what is not assigned, but a ready replica only when another revision of its deployment is ready. */
  #retire(): void {
    for (const [identity, replica] of this.#replicas) {
      if (this.#assigned.has(identity) || this.#isStillNeeded(replica)) continue;
      const isLeaving = this.#reduced.has(replica.item.dep);
      if (isLeaving) this.#leaving.add(replica);
      const deadlineMs = isLeaving ? LEAVE_MS : this.config.UNLOAD_GRACE_MS;
      this.#stopReplica(identity, { deadlineMs, stopped: this.#isStopped(replica.item.dep) });
    }
    for (const replica of this.#leaving) if (this.#stopped?.has(replica.item.dep)) this.#hurry(replica);
  }

  /** Bounds the time of streams whose deployment was stopped meanwhile. */
  #hurry(replica: Replica): void {
    this.#leaving.delete(replica);
    void replica.stop({ deadlineMs: this.config.UNLOAD_GRACE_MS, stopped: true });
  }

  #isStillNeeded({ ready, item }: Replica): boolean {
    const successors = [...this.#replicas].filter(([identity, other]) => this.#assigned.has(identity) && other.item.dep === item.dep);
    return ready && successors.length > 0 && !successors.some(([, successor]) => successor.ready);
  }

  /** Older placers do not list stopped deployments: then every deployment without an assigned item counts as stopped. */
  #isStopped(dep: DeploymentId): boolean {
    return (
      this.#stopped?.has(dep) ?? ![...this.#replicas.values()].some(({ item }) => item.dep === dep && this.#assigned.has(identityOf(item)))
    );
  }

  #stopReplica(identity: string, options: DrainOptions): void {
    const replica = this.#replicas.get(identity);
    if (!replica) return;
    this.#replicas.delete(identity);
    const { log } = replica;
    log.info({ grace_ms: options.deadlineMs }, 'placement.leaving');
    const over = replica.stop(options).then(() => {
      this.#stopping.delete(replica);
      this.#leaving.delete(replica);
      log.info('placement.left');
      this.#changed();
    });
    this.#stopping.set(replica, over);
  }
}
