import { readdirSync } from 'node:fs';
import { cpus, hostname } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { ADAPTER_EXPORT_FEATURE, ADAPTER_FEATURE, type AgentHeartbeat } from '@slipway/contracts';
import { ModelDownloads } from '@slipway/model-store';
import { CONFIG } from '@slipway/platform';
import type { WorkerConfig } from '../config.js';
import { runnableKinds } from '../engines.js';
import { workerMemory } from './memory.js';
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
  readonly #gpus: number;
  readonly #engines: string[];

  constructor(
    @Inject(CONFIG) private readonly config: WorkerConfig,
    private readonly placements: ReplicasService,
    private readonly downloads: ModelDownloads,
    private readonly metrics: WorkerMetrics,
  ) {
    this.#engines = runnableKinds(config);
    this.#gpus = config.GPU === 'auto' ? countGpus() : 0;
  }

  /** The status now; the metrics show the same. */
  observe(): AgentStatus {
    const loads = this.placements.reports();
    const { free, total } = workerMemory(this.placements.claims(), this.config.WORKER_MEM_BYTES);
    this.metrics.observe({ states: loads.map(({ state }) => state), figures: this.placements.figures(), memFree: free });
    return {
      host: this.#host,
      zone: this.config.ZONE ?? null,
      pool: this.config.POOL,
      mem_free: free,
      mem_total: total,
      cpu: this.#cores,
      gpus: this.#gpus,
      engines: this.#engines,
      features: this.config.ADAPTER_EXPORT_DIR === undefined ? [ADAPTER_FEATURE] : [ADAPTER_FEATURE, ADAPTER_EXPORT_FEATURE],
      cached: [...this.downloads.cached],
      loads,
    };
  }
}

/** Device files are the one sign of a GPU that needs no driver library. */
function countGpus(): number {
  try {
    return readdirSync('/dev').filter((name) => /^nvidia\d+$/.test(name)).length;
  } catch {
    return 0;
  }
}
