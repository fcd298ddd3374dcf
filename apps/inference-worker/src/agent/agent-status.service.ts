import { cpus, hostname } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { ADAPTER_EXPORT_FEATURE, ADAPTER_FEATURE, type AgentHeartbeat } from '@slipway/contracts';
import { ModelDownloads } from '@slipway/model-store';
import { CONFIG } from '@slipway/platform';
import type { WorkerConfig } from '../config.js';
import { runnableKinds } from '../engines.js';
import { Gpus } from './gpu-memory.js';
import { deviceMemory, type WorkerMemory, workerMemory } from './memory.js';
import { ReplicasService } from './replicas.service.js';
import { WorkerMetrics } from './worker-metrics.js';

/** What an agent is and does at this moment. */
export type AgentStatus = Omit<AgentHeartbeat, 'wk' | 'key' | 'assigned' | 'draining'>;

/** Puts together what placement must know of this worker. */
@Injectable()
export class AgentStatusService {
  readonly #host = hostname();
  /** Counted once: each count reads the clock of every core. */
  readonly #cores = cpus().length;
  readonly #engines: string[];

  constructor(
    @Inject(CONFIG) private readonly config: WorkerConfig,
    private readonly placements: ReplicasService,
    private readonly downloads: ModelDownloads,
    private readonly metrics: WorkerMetrics,
    private readonly gpus: Gpus,
  ) {
    this.#engines = runnableKinds(config);
  }

  /** The status now; the metrics show the same. */
  observe(): AgentStatus {
    const loads = this.placements.reports();
    const { free, total } = this.#memory();
    this.metrics.observe({ states: loads.map(({ state }) => state), figures: this.placements.figures(), memFree: free });
    return {
      host: this.#host,
      zone: this.config.ZONE ?? null,
      pool: this.config.POOL,
      mem_free: free,
      mem_total: total,
      cpu: this.#cores,
      gpus: this.gpus.count,
      engines: this.#engines,
      features: this.config.ADAPTER_EXPORT_DIR === undefined ? [ADAPTER_FEATURE] : [ADAPTER_FEATURE, ADAPTER_EXPORT_FEATURE],
      cached: [...this.downloads.cached],
      loads,
    };
  }

  /** Models are on the GPU where there is one: what the machine has besides is not theirs. */
  #memory(): WorkerMemory {
    const claims = this.placements.claims();
    const { WORKER_MEM_BYTES: bound } = this.config;
    return this.gpus.memory ? deviceMemory(claims, this.gpus.memory, bound) : workerMemory(claims, bound);
  }
}
