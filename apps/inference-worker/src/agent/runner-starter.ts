import { mkdirSync } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import { type AssignmentItem, type DeploymentId, engineOf, fileOf } from '@slipway/contracts';
import { EngineLoadError, type ExportedAdapter } from '@slipway/engine';
import {
  CONFIG,
  connectNats,
  LOG,
  type Logger,
  LogThreshold,
  NATS,
  type NatsConnection,
  natsTlsOf,
  type ThreadPool,
  Tracing,
  tracingSettings,
} from '@slipway/platform';
import type { WorkerConfig } from '../config.js';
import { createEngine, type EngineSource, programFor, requestReaders } from '../engines.js';
import type { RunnerName, RunnerNames } from '../identity/runner-names.js';
import type { ObtainedAdapter } from './adapter-files.js';
import type { ObtainedModel } from './model-sources.js';
import type { OtherUser } from '../runner/other-user.js';
import { Runner } from '../runner/runner.js';
import type { RunnerHandle, RunnerListener, RunnerSetup } from '../runner/runner-messages.js';
import { queueBoundOf } from '../serving/admission.js';
import { RUNNER_NAMES } from './agent-tokens.js';
import { ForkedRunner } from './forked-runner.js';
import { kernelFolder, RunnerChild } from './runner-child.js';
import { InProcessRunner } from './in-process-runner.js';
import type { ItemLog } from './log-book.js';
import { workerMemory } from './memory.js';

/**
 * A uid that no system assigns. Not 65534 (`nobody`): other daemons run under it, such as the PostgreSQL that `npm start` runs for
 * root, and processes of one user can read, trace and kill each other.
 */
const UNASSIGNED_UID = 65_533;
/** Share of the machine's or container's memory that one runner may take by default. */
const SHARE_OF_MEMORY = 0.8;

/** An assigned item, its adapter on this host, its log, and the name of its next runner. */
export interface PlacedItem {
  readonly item: AssignmentItem;
  readonly adapter: ObtainedAdapter | null;
  /** The adapter as an HTTP engine loads it; null where it has none. */
  readonly exported: ExportedAdapter | null;
  readonly log: ItemLog;
  readonly name: RunnerName;
  /** Whether it must share no process: the one before crashed. */
  readonly alone: boolean;
}

/** Starts runners: embedded engines in processes of their own, HTTP engines in this one. */
@Injectable()
export class RunnerStarter {
  readonly #children = new Set<RunnerChild>();
  /** Processes that serve adapters of one base, by what they have in common. */
  readonly #shared = new Map<string, RunnerChild>();
  #readers: Promise<ThreadPool> | undefined;
  // Runs at every orderly exit of this process. After a kill the children notice the closed pipe.
  readonly #killChildren = (): void => {
    for (const child of this.#children) child.kill();
  };

  constructor(
    @Inject(CONFIG) private readonly config: WorkerConfig,
    @Inject(NATS) private readonly nats: NatsConnection,
    @Inject(RUNNER_NAMES) private readonly names: RunnerNames,
    @Inject(LOG) private readonly log: Logger,
    private readonly tracing: Tracing,
    private readonly threshold: LogThreshold,
  ) {
    threshold.follow((level) => {
      for (const child of this.#children) child.send({ k: 'log level', level });
    });
  }

  /** The name of the next runner of a deployment. @throws EngineLoadError while none is available; the caller tries again later */
  async name(deployment: DeploymentId): Promise<RunnerName> {
    try {
      return await this.names.take(deployment);
    } catch (error) {
      const detail = 'The runner has no name on NATS yet: keys-service does not answer.';
      throw new EngineLoadError('engine_crashed', detail, { cause: error });
    }
  }

  start(given: PlacedItem, { source }: ObtainedModel, listener: RunnerListener): RunnerHandle {
    const { item } = given;
    const path = fileOf(source);
    if (engineOf(source).process === 'runner' && path !== null) return this.#fork(given, path, listener);
    const placed = { ...given, item: { ...item, slots: this.config.HTTP_ENGINE_SLOTS ?? item.slots } };
    return new InProcessRunner((lost) => this.#make(placed, source, lost), listener);
  }

  #fork(given: PlacedItem, modelPath: string, listener: RunnerListener): RunnerHandle {
    const { log, name } = given;
    const runner = new ForkedRunner({ child: this.#childFor(given, modelPath), setup: this.#setupOf(given, modelPath), listener, log });
    name.onRenewed((jwt) => runner.renew(jwt));
    void runner.ended.then(() => name.giveBack());
    return runner;
  }

  #setupOf({ item: placed, adapter, name }: PlacedItem, modelPath: string): RunnerSetup {
    const { config } = this;
    // The credential is the query of a download address, which a runner with a local file does not need.
    const { credential: _, ...item } = placed;
    const program = programFor(item.source, config);
    return {
      env: config.SLIPWAY_ENV,
      natsUrl: config.NATS_URL,
      // A runner with a name of its own gets none of this worker's credentials.
      natsTls: natsTlsOf(config) ?? null,
      natsCredentialsDir: name.held ? null : (config.NATS_CREDENTIALS_DIR ?? null),
      wk: name.wk,
      identity: name.held && { key: name.held.key, jwt: name.held.jwt },
      zone: config.ZONE ?? null,
      logLevel: this.threshold.level,
      tracing: tracingSettings(config, 'inference-worker'),
      gpu: config.GPU,
      program: program && { path: program.path, args: [...program.args] },
      user: name.held ? this.#otherUser() : null,
      // A configured user is never replaced by root.
      mayStayRoot: config.RUNNER_UID === undefined,
      agent: process.pid,
      orphanDrainMs: config.DRAIN_MS,
      item,
      modelPath,
      adapter: adapter && { path: adapter.path, baseIdentity: adapter.baseIdentity },
    };
  }

  /**
   * The process for an item: one of its own, or for an adapter the one in which its account's other adapters of this base are.
   * Accounts share none, because native code that a hostile adapter takes over sees all of its process.
   */
  #childFor({ item, adapter, alone }: PlacedItem, modelPath: string): RunnerChild {
    const key = adapter && !alone ? JSON.stringify([item.account, modelPath, adapter.baseIdentity, item.threads]) : null;
    const known = key === null ? undefined : this.#shared.get(key);
    if (known?.isOpen === true) return known;
    const { config } = this;
    const memoryBytes = config.RUNNER_MEM_BYTES ?? config.WORKER_MEM_BYTES ?? Math.floor(workerMemory([]).total * SHARE_OF_MEMORY);
    const child = new RunnerChild({ silenceMs: config.RUNNER_SILENCE_MS, memoryBytes, kernels: this.#kernels() });
    this.#keep(child);
    if (key !== null) this.#shared.set(key, child);
    void child.exited.then(() => {
      if (key !== null && this.#shared.get(key) === child) this.#shared.delete(key);
    });
    return child;
  }

  #kernels(): string | null {
    const folder = kernelFolder(this.config, this.#otherUser() !== null);
    if (folder !== null) mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** Null where the agent is not root, and by default with a GPU, whose devices are open to root or to certain groups of the host only. */
  #otherUser(): OtherUser | null {
    const { RUNNER_UID: wanted, GPU: gpu } = this.config;
    const uid = wanted ?? (gpu === 'off' ? UNASSIGNED_UID : 0);
    return process.getuid?.() === 0 && uid !== 0 ? { uid, gid: uid } : null;
  }

  #keep(child: RunnerChild): void {
    if (this.#children.size === 0) process.on('exit', this.#killChildren);
    this.#children.add(child);
    void child.exited.then(() => {
      this.#children.delete(child);
      if (this.#children.size === 0) process.off('exit', this.#killChildren);
    });
  }

  async #make(placed: PlacedItem, source: EngineSource, lost: (error: EngineLoadError) => void): Promise<Runner> {
    const { item, name, exported } = placed;
    const { logger: log } = placed.log;
    const { NATS_URL: url, SLIPWAY_ENV: env } = this.config;
    let nats = this.nats;
    const freed = async (): Promise<void> => {
      if (nats !== this.nats) await nats.drain();
      name.giveBack();
    };
    try {
      if (name.held)
        nats = await connectNats({
          url,
          tls: natsTlsOf(this.config),
          role: 'runner',
          identity: name.held,
          name: `runner-${item.dep}`,
          log,
        });
      const engine = await createEngine(source, {
        context: item.context,
        slots: item.slots,
        queue: queueBoundOf(item.slots),
        threads: item.threads,
        defaultMaxTokens: item.default_max_tokens,
        credential: item.credential,
        imageHosts: this.config.IMAGE_HOSTS,
        exported: exportedFor(item, exported),
        readers: await (this.#readers ??= requestReaders(this.log)),
        log,
      });
      return new Runner({ wk: name.wk, engine, nats, env, item, zone: this.config.ZONE ?? null, log, tracing: this.tracing, lost, freed });
    } catch (error) {
      await exported?.release();
      await freed();
      throw error;
    }
  }
}

/** Never the bare base under the name of an adapter. @throws EngineLoadError `adapter_missing` */
function exportedFor({ adapter }: AssignmentItem, exported: ExportedAdapter | null): ExportedAdapter | undefined {
  if (adapter && !exported) throw new EngineLoadError('adapter_missing', 'The adapter is not on this worker.');
  return exported ?? undefined;
}
