import { Module } from '@nestjs/common';
import type { Incarnation } from '@slipway/contracts';
import { FileHashes, ModelDownloads } from '@slipway/model-store';
import {
  BoxKey,
  CONFIG,
  HostList,
  LOG,
  type Logger,
  NATS,
  NATS_LOGIN,
  type NatsConnection,
  PROCESS_NAME,
  RpcClient,
  trustingFetch,
} from '@slipway/platform';
import type { WorkerConfig } from '../config.js';
import { type AgentLogin, askToJoin } from '../identity/join.js';
import { NamedRunners, type RunnerNames, SharedRunnerNames } from '../identity/runner-names.js';
import { AdapterFiles } from './adapter-files.js';
import { AdapterFolders } from './adapter-folders.js';
import { ModelSources } from './model-sources.js';
import { AgentLogService } from './agent-log.service.js';
import { AgentRpc } from './agent-rpc.js';
import { AgentStatusService } from './agent-status.service.js';
import { AGENT_ID, RUNNER_NAMES } from './agent-tokens.js';
import { AgentService } from './agent.service.js';
import { EngineTestService } from './engine-test.service.js';
import { LogBook } from './log-book.js';
import { Gpus } from './gpu-memory.js';
import { ReplicasService } from './replicas.service.js';
import { RunnerStarter } from './runner-starter.js';
import { WorkerMetrics } from './worker-metrics.js';

function namesOf(
  ...[{ identity: agent }, wk, nats, config, log]: [AgentLogin, Incarnation, NatsConnection, WorkerConfig, Logger]
): RunnerNames {
  if (!agent) return new SharedRunnerNames(wk);
  return new NamedRunners({ nats, env: config.SLIPWAY_ENV, agent, rejoin: () => askToJoin(config, log, agent), log });
}

const downloadsOf = (config: WorkerConfig, log: Logger): ModelDownloads =>
  new ModelDownloads({
    folder: config.MODEL_CACHE_DIR,
    hosts: config.MODEL_HOSTS,
    maxBytes: config.MODEL_CACHE_BYTES ?? null,
    stallMs: config.DOWNLOAD_STALL_MS,
    doorFetch: trustingFetch(config.BLOB_CA),
    log,
  });

const sourcesOf = (config: WorkerConfig, downloads: ModelDownloads): ModelSources =>
  new ModelSources({ modelDirs: config.MODEL_DIRS, engineHosts: new HostList(config.ENGINE_HOSTS), downloads });

const adaptersOf = (downloads: ModelDownloads, hashes: FileHashes, rpc: RpcClient): AdapterFiles =>
  new AdapterFiles({ downloads, hashes, rpc });

const foldersOf = ({ ADAPTER_EXPORT_DIR: folder }: WorkerConfig, files: AdapterFiles, hashes: FileHashes, log: Logger): AdapterFolders =>
  new AdapterFolders({ folder: folder ?? null, files, hashes, log });

// oxlint-disable-next-line node/no-process-env -- which GPUs a process may see is an agreement of CUDA's programs
const gpusOf = ({ GPU: gpu }: WorkerConfig, log: Logger): Promise<Gpus> => Gpus.find(gpu === 'auto', process.env, log);

/** The agent of one host. */
@Module({
  providers: [
    { provide: AGENT_ID, useExisting: PROCESS_NAME },
    { provide: RUNNER_NAMES, useFactory: namesOf, inject: [NATS_LOGIN, AGENT_ID, NATS, CONFIG, LOG] },
    // A key lives as long as the agent's name: what was sealed for it opens nowhere else.
    { provide: BoxKey, useFactory: () => new BoxKey() },
    { provide: ModelDownloads, useFactory: downloadsOf, inject: [CONFIG, LOG] },
    { provide: ModelSources, useFactory: sourcesOf, inject: [CONFIG, ModelDownloads] },
    { provide: FileHashes, useFactory: ({ MODEL_CACHE_DIR: folder }: WorkerConfig) => new FileHashes(folder), inject: [CONFIG] },
    { provide: AdapterFiles, useFactory: adaptersOf, inject: [ModelDownloads, FileHashes, RpcClient] },
    { provide: AdapterFolders, useFactory: foldersOf, inject: [CONFIG, AdapterFiles, FileHashes, LOG] },
    WorkerMetrics,
    LogBook,
    RunnerStarter,
    ReplicasService,
    { provide: Gpus, useFactory: gpusOf, inject: [CONFIG, LOG] },
    AgentStatusService,
    AgentService,
    AgentRpc,
    AgentLogService,
    EngineTestService,
  ],
})
export class AgentModule {}
