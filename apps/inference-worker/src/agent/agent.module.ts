import { type DynamicModule, Module } from '@nestjs/common';
import type { Incarnation } from '@slipway/contracts';
import { ModelDownloads } from '@slipway/model-store';
import { BoxKey, HostList, type Logger, type NatsConnection, type Registry } from '@slipway/platform';
import type { WorkerConfig } from '../config.js';
import type { RunnerNames } from '../identity/runner-names.js';
import { ModelSources } from './model-sources.js';
import { AgentLogService } from './agent-log.service.js';
import { AgentRpc } from './agent-rpc.js';
import { AgentStatusService } from './agent-status.service.js';
import { AGENT_ID, CONFIG, LOG, METRICS, NATS, RUNNER_NAMES } from './agent-tokens.js';
import { AgentService } from './agent.service.js';
import { EngineTestService } from './engine-test.service.js';
import { LogBook } from './log-book.js';
import { PlacementsService } from './placements.service.js';
import { RunnerStarter } from './runner-starter.js';
import { WorkerMetrics } from './worker-metrics.js';

export interface AgentModuleOptions {
  readonly config: WorkerConfig;
  readonly log: Logger;
  readonly nats: NatsConnection;
  readonly metrics: Registry;
  /** Name of this agent. */
  readonly wk: Incarnation;
  readonly names: RunnerNames;
}

/** The agent of one host. */
@Module({})
export class AgentModule {
  static with({ config, log, nats, metrics, wk, names }: AgentModuleOptions): DynamicModule {
    const downloads = new ModelDownloads({
      folder: config.MODEL_CACHE_DIR,
      hosts: config.MODEL_HOSTS,
      maxBytes: config.MODEL_CACHE_BYTES ?? null,
      stallMs: config.DOWNLOAD_STALL_MS,
      log,
    });
    const models = new ModelSources({ modelDirs: config.MODEL_DIRS, engineHosts: new HostList(config.ENGINE_HOSTS), downloads });
    return {
      module: AgentModule,
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: LOG, useValue: log },
        { provide: NATS, useValue: nats },
        { provide: METRICS, useValue: metrics },
        { provide: AGENT_ID, useValue: wk },
        { provide: RUNNER_NAMES, useValue: names },
        // With the name: a key lives as long as the agent, and what was sealed for it opens nowhere else.
        { provide: BoxKey, useValue: new BoxKey() },
        {
          provide: ModelDownloads,
          useFactory: async () => {
            await downloads.open();
            return downloads;
          },
        },
        { provide: ModelSources, useValue: models },
        WorkerMetrics,
        LogBook,
        RunnerStarter,
        PlacementsService,
        AgentStatusService,
        AgentService,
        AgentRpc,
        AgentLogService,
        EngineTestService,
      ],
      exports: [AgentService, AgentRpc, AgentLogService, EngineTestService],
    };
  }
}
