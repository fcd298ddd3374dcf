import { Inject, Injectable } from '@nestjs/common';
import type { AgentLoad, Assignment, AssignmentItem } from '@slipway/contracts';
import type { Logger } from '@slipway/platform';
import type { WorkerConfig } from '../config.js';
import { ModelStore } from '../models/model-store.js';
import type { RunnerFigures } from '../runner/runner-messages.js';
import { CONFIG, LOG } from './agent-tokens.js';
import type { MemoryClaim } from './memory.js';
import { Placement } from './placement.js';
import { RunnerStarter } from './runner-starter.js';
import { WorkerMetrics } from './worker-metrics.js';

/** An item that differs in anything is another placement: revisions never change once they are made. */
const identityOf = (item: AssignmentItem): string => JSON.stringify(item);

/** Makes what runs on this worker equal to what was assigned to it. */
@Injectable()
export class PlacementsService {
  readonly #kept = new Map<string, Placement>();
  readonly #leaving = new Map<Placement, Promise<void>>();
  #assigned: ReadonlySet<string> = new Set();
  #term = 0;
  #closed = false;
  #changed: () => void = () => undefined;

  constructor(
    @Inject(CONFIG) private readonly config: WorkerConfig,
    @Inject(LOG) private readonly log: Logger,
    private readonly models: ModelStore,
    private readonly runners: RunnerStarter,
    private readonly metrics: WorkerMetrics,
  ) {}

  /** Names who is told, often, that the reports changed. */
  onChange(changed: () => void): void {
    this.#changed = changed;
  }

  /** Loads what is new, lets go of what is not listed. Assignments of an overruled placer change nothing. */
  obey({ term, items }: Assignment): void {
    if (this.#closed || term < this.#term) return;
    this.#term = term;
    const assigned = new Map(items.map((item) => [identityOf(item), item]));
    this.#assigned = new Set(assigned.keys());
    for (const [identity, item] of assigned) if (!this.#kept.has(identity)) this.#place(identity, item);
    this.#retire();
  }

  /** A placement that leaves is not reported beside its successor of the same revision. */
  reports(): AgentLoad[] {
    const kept = [...this.#kept.values()].map(({ report }) => report);
    const leaving = [...this.#leaving.keys()].map(({ report }) => report);
    return [...kept, ...leaving.filter(({ dep, rev }) => !kept.some((other) => other.dep === dep && other.rev === rev))];
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
    for (const identity of [...this.#kept.keys()]) this.#letGo(identity, deadlineMs);
    await Promise.all([suspended, ...this.#leaving.values()]);
  }

  #all(): Placement[] {
    return [...this.#kept.values(), ...this.#leaving.keys()];
  }

  #place(identity: string, item: AssignmentItem): void {
    const { log } = this;
    const placement = new Placement({
      item,
      models: this.models,
      startRunner: (...runner) => this.runners.start(...runner),
      changed: () => {
        this.#retire();
        this.#changed();
      },
      figures: (now, before) => this.metrics.add(now, before),
      crashed: () => this.metrics.crashed(),
      log,
    });
    this.#kept.set(identity, placement);
    log.info({ deployment: item.dep, rev: item.rev, source: item.source.kind }, 'placement.assigned');
    void placement.keep();
  }

  /** Lets go of what is not assigned, but a ready revision only once its successor can take over. */
  #retire(): void {
    for (const [identity, placement] of this.#kept) {
      if (!this.#assigned.has(identity) && !this.#bridges(placement)) this.#letGo(identity, this.config.UNLOAD_GRACE_MS);
    }
  }

  #bridges({ ready, item }: Placement): boolean {
    const successors = [...this.#kept].filter(([identity, other]) => this.#assigned.has(identity) && other.item.dep === item.dep);
    return ready && successors.length > 0 && !successors.some(([, successor]) => successor.ready);
  }

  #letGo(identity: string, deadlineMs: number): void {
    const placement = this.#kept.get(identity);
    if (!placement) return;
    this.#kept.delete(identity);
    const { dep, rev } = placement.item;
    this.log.info({ deployment: dep, rev }, 'placement.leaving');
    const over = placement.stop(deadlineMs).then(() => {
      this.#leaving.delete(placement);
      this.log.info({ deployment: dep, rev }, 'placement.left');
      this.#changed();
    });
    this.#leaving.set(placement, over);
  }
}
