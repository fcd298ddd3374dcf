import { Inject, Injectable } from '@nestjs/common';
import type { AgentLoad, AssignmentItem, DeploymentId } from '@slipway/contracts';
import { CONFIG } from '@slipway/platform';
import type { WorkerConfig } from '../config.js';
import { ModelSources } from './model-sources.js';
import type { Farewell, RunnerFigures } from '../runner/runner-messages.js';
import type { OpenItem, WholeAssignment } from './assignment-reader.js';
import { LogBook } from './log-book.js';
import type { MemoryClaim } from './memory.js';
import { Placement } from './placement.js';
import { RunnerStarter } from './runner-starter.js';
import { WorkerMetrics } from './worker-metrics.js';

/**
 * An item that differs in anything that its engine is made of is another placement: revisions never change once they are made.
 * Whether its account is named depends on the sender's version.
 */
const identityOf = ({ account: _, ...item }: OpenItem): string => JSON.stringify(item);

/** The report of an item that cannot be read here: without its secret its engine would only refuse it. */
const refusalOf = ({ dep, rev }: AssignmentItem): AgentLoad => ({
  ...{ dep, rev, state: 'failed', progress: null, pid: null, context: null, caps: [] },
  reason: 'engine_refused',
  detail: 'The sealed credential of this deployment cannot be opened by this worker.',
});

/** Makes what runs on this worker equal to what was assigned to it. */
@Injectable()
export class PlacementsService {
  readonly #kept = new Map<string, Placement>();
  readonly #leaving = new Map<Placement, Promise<void>>();
  #assigned: ReadonlySet<string> = new Set();
  /** Absent where the placer does not say. */
  #stopped: ReadonlySet<DeploymentId> | undefined;
  #unreadable: readonly AgentLoad[] = [];
  #closed = false;
  #retiring = false;
  #changed: () => void = () => undefined;

  constructor(
    @Inject(CONFIG) private readonly config: WorkerConfig,
    private readonly book: LogBook,
    private readonly models: ModelSources,
    private readonly runners: RunnerStarter,
    private readonly metrics: WorkerMetrics,
  ) {}

  /** Names who is told, often, that the reports changed. */
  onChange(changed: () => void): void {
    this.#changed = changed;
  }

  /** Loads what is new, lets go of what is not listed. */
  obey({ items, unreadable, stopped }: WholeAssignment): void {
    if (this.#closed) return;
    this.#unreadable = unreadable.map(refusalOf);
    this.#stopped = stopped && new Set(stopped);
    const assigned = new Map(items.map((item) => [identityOf(item), item]));
    this.#assigned = new Set(assigned.keys());
    for (const [identity, item] of assigned) if (!this.#kept.has(identity)) this.#place(identity, item);
    this.#retire();
  }

  /** A placement that leaves is not reported beside its successor of the same revision. */
  reports(): AgentLoad[] {
    const kept = [...this.#kept.values()].map(({ report }) => report);
    const leaving = [...this.#leaving.keys()].map(({ report }) => report);
    const present = new Set(kept.map(({ dep, rev }) => `${dep}:${rev}`));
    return [...kept, ...[...leaving, ...this.#unreadable].filter(({ dep, rev }) => !present.has(`${dep}:${rev}`))];
  }

  claims(): MemoryClaim[] {
    return this.#all().map(({ claim }) => claim);
  }

  figures(): RunnerFigures[] {
    return this.#all().flatMap(({ figures }) => figures ?? []);
  }

  /** Takes no more assignments, and ends everything within the time. */
  async stop(deadlineMs: number): Promise<void> {
    this.#closed = true;
    const suspended = this.models.suspend();
    const farewell = { deadlineMs, stopped: false };
    for (const placement of this.#leaving.keys()) void placement.stop(farewell);
    for (const identity of [...this.#kept.keys()]) this.#letGo(identity, farewell);
    await Promise.all([suspended, ...this.#leaving.values()]);
  }

  #all(): Placement[] {
    return [...this.#kept.values(), ...this.#leaving.keys()];
  }

  #place(identity: string, item: OpenItem): void {
    const log = this.book.open(item);
    const placement = new Placement({
      item,
      models: this.models,
      nameRunner: () => this.runners.name(item.dep),
      startRunner: ({ model, name }, listener) => this.runners.start({ item, log, name }, model, listener),
      changed: () => {
        this.#retireSoon();
        this.#changed();
      },
      figures: (now, before) => this.metrics.add(now, before),
      crashed: () => this.metrics.crashed(),
      log: log.logger,
    });
    this.#kept.set(identity, placement);
    log.logger.info({ source: item.source.kind }, 'placement.assigned');
    void placement.keep();
  }

  /** Once for all changes of this turn: thousands of placements may change at the same time. */
  #retireSoon(): void {
    if (this.#retiring) return;
    this.#retiring = true;
    setImmediate(() => {
      this.#retiring = false;
      if (!this.#closed) this.#retire();
    });
  }

  /** Lets go of what is not assigned, but a ready revision only once its successor can take over. */
  #retire(): void {
    for (const [identity, placement] of this.#kept) {
      if (this.#assigned.has(identity) || this.#bridges(placement)) continue;
      this.#letGo(identity, { deadlineMs: this.config.UNLOAD_GRACE_MS, stopped: this.#isStopped(placement.item.dep) });
    }
  }

  #bridges({ ready, item }: Placement): boolean {
    const successors = [...this.#kept].filter(([identity, other]) => this.#assigned.has(identity) && other.item.dep === item.dep);
    return ready && successors.length > 0 && !successors.some(([, successor]) => successor.ready);
  }

  /** An older placer says nothing of it: with it, all that is not listed was stopped. */
  #isStopped(dep: DeploymentId): boolean {
    return (
      this.#stopped?.has(dep) ?? ![...this.#kept.values()].some(({ item }) => item.dep === dep && this.#assigned.has(identityOf(item)))
    );
  }

  #letGo(identity: string, farewell: Farewell): void {
    const placement = this.#kept.get(identity);
    if (!placement) return;
    this.#kept.delete(identity);
    const { log } = placement;
    log.info({ grace_ms: farewell.deadlineMs }, 'placement.leaving');
    const over = placement.stop(farewell).then(() => {
      this.#leaving.delete(placement);
      log.info('placement.left');
      this.#changed();
    });
    this.#leaving.set(placement, over);
  }
}
