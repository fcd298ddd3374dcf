import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from '@slipway/platform/metrics';
import type { Round } from '../placement/placement-state.js';
import type { Unit } from '../placement/unit.js';
import type { ScaledDeployment } from './autoscaler.js';
import { type Figures, figuresOf, NO_POOL } from './pool-figures.js';

const REASONS = ['no_capacity', 'no_worker'] as const;

/** Figures of placement for /metrics. Only the replica that places has pools: what stands by would repeat old ones. */
@Injectable()
export class PlacementMetrics {
  #latest: (() => Figures) | null = null;
  readonly #unplaced: Gauge<'pool' | 'reason'>;
  readonly #gauges: Readonly<Record<'workers' | 'occupied' | 'memoryBytes' | 'memoryFreeBytes', Gauge<'pool'>>>;
  readonly #scalings: Counter<'direction'>;

  constructor(registry: Registry) {
    const registers = [registry];
    const gauge = (name: string, help: string): Gauge<'pool'> => new Gauge({ name, help, labelNames: ['pool'], registers });
    this.#unplaced = new Gauge({
      ...{ name: 'slipway_placement_unplaced_replicas', help: 'Replicas that are wanted and have no room.', registers },
      labelNames: ['pool', 'reason'],
      // The gauge that is read first sets all of them.
      collect: () => this.#collect(),
    });
    this.#gauges = {
      workers: gauge('slipway_pool_workers', 'Connected workers that are not draining.'),
      occupied: gauge('slipway_pool_workers_occupied', 'Of these, workers that hold a replica.'),
      memoryBytes: gauge('slipway_pool_memory_bytes', 'Memory for models.'),
      memoryFreeBytes: gauge('slipway_pool_memory_free_bytes', 'Memory that further models may take.'),
    };
    this.#scalings = new Counter({
      ...{ name: 'slipway_autoscaling_changes_total', help: 'Changes of replicas by the load.', registers },
      labelNames: ['direction'],
    });
    for (const direction of ['up', 'down']) this.#scalings.inc({ direction }, 0);
  }

  /** Shows a round from now on. */
  placed(round: Round, wanted: (dep: Unit['dep']) => number | undefined): void {
    this.#latest = () => figuresOf(round, wanted);
  }

  scaled(scalings: readonly ScaledDeployment[]): void {
    for (const { before, replicas } of scalings) this.#scalings.inc({ direction: replicas > before ? 'up' : 'down' });
  }

  /** Another replica places. */
  clear(): void {
    this.#latest = null;
  }

  #collect(): void {
    for (const gauge of [...Object.values(this.#gauges), this.#unplaced]) gauge.reset();
    if (!this.#latest) return;
    const { pools, unplaced } = this.#latest();
    for (const pool of [...pools.keys(), NO_POOL]) for (const reason of REASONS) this.#unplaced.set({ pool, reason }, 0);
    for (const { pool, reason, replicas } of unplaced) this.#unplaced.inc({ pool, reason }, replicas);
    for (const [pool, figures] of pools) {
      for (const [name, gauge] of Object.entries(this.#gauges)) gauge.set({ pool }, figures[name as keyof typeof figures]);
    }
  }
}
