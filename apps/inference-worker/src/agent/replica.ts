import { setTimeout as delay } from 'node:timers/promises';
import {
  type AgentLoad,
  type AssignmentItem,
  downloadOf,
  fileOf,
  serverOf,
  type StateReason,
  WEIGHTS_FACTOR,
  withQuery,
} from '@slipway/contracts';
import { EngineLoadError, type ExportedAdapter } from '@slipway/engine';
import { fileVersion } from '@slipway/model-store';
import type { Logger } from '@slipway/platform';
import type { RunnerName } from '../identity/runner-names.js';
import type { DrainOptions, RunnerFacts, RunnerFigures, RunnerHandle, RunnerListener } from '../runner/runner-messages.js';
import type { AdapterFiles, ObtainedAdapter } from './adapter-files.js';
import type { AdapterFolders } from './adapter-folders.js';
import type { MemoryClaim } from './memory.js';
import type { ModelSources, ObtainedModel } from './model-sources.js';

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/**
 * Wait before the next attempt to run a model, in milliseconds. A process that crashed for the first
 * time is started again at once; a model that could not be loaded will hardly be better a moment later.
 */
export function retryDelay(failuresInRow: number, crashed: boolean): number {
  const doublings = crashed ? failuresInRow - 2 : failuresInRow - 1;
  return doublings < 0 ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** doublings);
}

/** Time of serving after which a runner's earlier failures are no longer counted, in milliseconds. */
const STABLE_AFTER_MS = 60_000;
/** Share of the download in the reported progress; the rest is loading. */
const DOWNLOAD_SHARE = 0.9;
const DETAIL_CHARS = 500;
/** Time between two looks for a change of a model file that could not be loaded, in milliseconds. */
const FILE_CHECK_MS = 2_000;

interface Failure {
  readonly reason: StateReason;
  readonly detail: string;
  readonly crash: boolean;
}

/** What a runner serves: a model under a name, and the adapter on it. */
export interface Servable {
  readonly model: ObtainedModel;
  readonly adapter: ObtainedAdapter | null;
  /** The same for an HTTP engine. */
  readonly exported: ExportedAdapter | null;
  readonly name: RunnerName;
  /** Whether it must share no process, because it crashed more than once in a row: one adapter must not take others with it. */
  readonly alone: boolean;
}

export interface PlacementOptions {
  readonly item: AssignmentItem;
  readonly models: ModelSources;
  readonly adapters: AdapterFiles;
  readonly folders: AdapterFolders;
  /** @throws EngineLoadError while no name is available */
  readonly nameRunner: () => Promise<RunnerName>;
  readonly startRunner: (what: Servable, listener: RunnerListener) => RunnerHandle;
  /** The report changed. */
  readonly changed: () => void;
  /** Called with a runner's counts since its start, and its counts before; null = its first. */
  readonly figures: (figures: RunnerFigures, before: RunnerFigures | null) => void;
  readonly crashed: () => void;
  readonly log: Logger;
}

/** Runs one assigned item until it is stopped: obtains its model, starts its runner again when that fails, and reports its state. */
export class Replica {
  readonly #stopped = new AbortController();
  readonly #leaving = new Set<Promise<void>>();
  #runner: RunnerHandle | null = null;
  #facts: RunnerFacts | null = null;
  #figures: RunnerFigures | null = null;
  #progress: number | null = null;
  #failure: Failure | null = null;
  #failures = 0;
  #bytes = 0;
  #adapterBytes = 0;
  /** The model file that was loaded last, and its version before loading. */
  #file: { readonly path: string; readonly version: string } | null = null;
  #refetched = false;

  constructor(private readonly options: PlacementOptions) {}

  get item(): AssignmentItem {
    return this.options.item;
  }

  /** The source with the query of its download address: a secret, sent apart from it. */
  get #source(): AssignmentItem['source'] {
    const { source, credential } = this.item;
    return (credential === undefined ? null : withQuery(source, credential)) ?? source;
  }

  get log(): Logger {
    return this.options.log;
  }

  get ready(): boolean {
    return this.#facts !== null && !this.#stopped.signal.aborted;
  }

  get figures(): RunnerFigures | null {
    return this.#figures;
  }

  get claim(): MemoryClaim {
    const need = Math.ceil(this.#bytes * WEIGHTS_FACTOR) + this.#adapterBytes;
    return { need, mapped: this.#file && { path: this.#file.path, bytes: this.#bytes }, pid: this.#runner?.pid ?? null };
  }

  /** Requests that it runs or has queued. */
  get #requests(): number {
    return this.#figures ? this.#figures.running + this.#figures.queued : 0;
  }

  get report(): AgentLoad {
    const { dep, rev } = this.item;
    const failure = this.#reportedFailure();
    const state = this.#stateOf(failure);
    return {
      dep,
      rev,
      state,
      progress: state === 'loading' ? this.#progress : null,
      reason: failure?.reason ?? null,
      detail: failure?.detail.slice(0, DETAIL_CHARS) ?? null,
      pid: this.#runner?.pid || null,
      requests: this.#requests,
      context: this.#facts?.context ?? null,
      caps: this.#facts?.caps ?? [],
    };
  }

  /** Runs until `stop`. */
  async run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const failure = await this.#runOnce(signal);
      if (failure && !signal.aborted && !(await this.#discardInvalid(failure))) await this.#pauseAfter(failure, signal);
    }
  }

  /**
   * Admits no new streams and lets running ones end within the time. Resolves when all its runners have ended. Called again, the
   * earlier deadline counts.
   */
  async stop(options: DrainOptions): Promise<void> {
    this.#stopped.abort(new Error('Not assigned any more.'));
    this.options.changed();
    await Promise.all([this.#runner?.stop(options), ...this.#leaving]);
  }

  #stateOf(failure: Failure | null): AgentLoad['state'] {
    if (this.#stopped.signal.aborted) return 'draining';
    if (failure) return 'failed';
    return this.#facts ? 'ready' : 'loading';
  }

  /** A first crash is not reported, since the restart usually repairs it; from the second in a row on it is. */
  #reportedFailure(): Failure | null {
    const quiet = this.#failure?.crash === true && this.#failures < 2;
    return quiet || this.#facts || this.#stopped.signal.aborted ? null : this.#failure;
  }

  /** @returns why the runner failed; null when it was stopped or drained. */
  async #runOnce(signal: AbortSignal): Promise<Failure | null> {
    let readyAt = Number.POSITIVE_INFINITY;
    let exported: ExportedAdapter | null = null;
    try {
      this.#show({ progress: 0 });
      const model = await this.options.models.obtain(
        this.#source,
        (progress) => this.#show({ progress: progress * DOWNLOAD_SHARE }),
        signal,
      );
      signal.throwIfAborted();
      this.#bytes = model.bytes;
      const path = fileOf(model.source);
      this.#file = path === null ? null : { path, version: await fileVersion(path) };
      const adapter = path === null ? null : await this.#adapterOn(path, signal);
      exported = await this.#exported(signal);
      signal.throwIfAborted();
      const name = await this.options.nameRunner();
      if (signal.aborted) {
        name.giveBack();
        return null;
      }
      const alone = this.#failure?.crash === true && this.#failures >= 2;
      const given = { model, adapter, exported, name, alone };
      // The engine ends this use when it is unloaded.
      exported = null;
      return await this.#serve(given, signal, () => (readyAt = performance.now()));
    } catch (error) {
      if (signal.aborted) return null;
      return this.#describe(error);
    } finally {
      await exported?.release();
      if (performance.now() - readyAt > STABLE_AFTER_MS) this.#failures = 0;
      this.#facts = null;
      if (!signal.aborted) this.#runner = null;
    }
  }

  /** Writes the item's adapter for the HTTP engine that serves it; null where there is none. */
  async #exported(signal: AbortSignal): Promise<ExportedAdapter | null> {
    const { account, adapter, source } = this.item;
    const server = serverOf(source);
    return adapter && server ? this.options.folders.obtain({ account, adapter }, server, signal) : null;
  }

  /** Obtains the item's adapter; null where it has none. */
  async #adapterOn(base: string, signal: AbortSignal): Promise<ObtainedAdapter | null> {
    const { account, adapter } = this.item;
    if (!adapter) return null;
    const obtained = await this.options.adapters.obtain({ account, adapter }, base, signal);
    this.#adapterBytes = obtained.bytes;
    return obtained;
  }

  /** Resolves when the runner ends or begins to drain. @throws EngineLoadError when it cannot serve */
  #serve(how: Servable, signal: AbortSignal, ready: () => void): Promise<Failure | null> {
    const base = downloadOf(this.item.source) === null ? 0 : DOWNLOAD_SHARE;
    this.#figures = null;
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => resolve(null), { once: true });
      this.#runner = this.options.startRunner(how, {
        progress: (progress) => this.#show({ progress: base + progress * (1 - base) }),
        ready: (facts) => {
          ready();
          this.#facts = facts;
          this.#failure = null;
          this.options.log.info({ runner: facts.wk, pid: this.#runner?.pid }, 'placement.ready');
          this.options.changed();
        },
        figures: (figures) => {
          this.options.figures(figures, this.#figures);
          this.#figures = figures;
        },
        failed: reject,
        gone: ({ crash, detail, over }) => {
          if (!crash) this.#addLeaving(over);
          resolve(crash ? { reason: 'engine_crashed', detail, crash } : null);
        },
      });
      this.options.changed();
    });
  }

  /** Discards a downloaded file that is invalid, so that it is downloaded once more. @returns whether it was discarded */
  async #discardInvalid({ reason }: Failure): Promise<boolean> {
    if (reason !== 'model_invalid' || this.#refetched) return false;
    this.#refetched = true;
    return this.options.models.discard(this.#source);
  }

  /** Keeps a draining runner until it has ended, while the next one loads. */
  #addLeaving(over: Promise<void>): void {
    this.#leaving.add(over);
    void over.then(() => this.#leaving.delete(over));
  }

  async #pauseAfter(failure: Failure, signal: AbortSignal): Promise<void> {
    this.#failures += 1;
    this.#failure = failure;
    this.#progress = null;
    if (failure.crash) this.options.crashed();
    // The same file would fail in the same way, so it is tried again only when it has changed.
    const damaged = failure.reason === 'model_invalid' ? this.#file : null;
    const wait = damaged ? null : retryDelay(this.#failures, failure.crash);
    this.options.log.warn({ reason: failure.reason, detail: failure.detail, again_in_ms: wait }, 'placement.failed');
    this.options.changed();
    if (damaged) await untilChanged(damaged, signal);
    else await delay(wait ?? 0, undefined, { signal }).catch(() => undefined);
  }

  #describe(error: unknown): Failure {
    if (error instanceof EngineLoadError) return { reason: error.reason, detail: error.message, crash: error.reason === 'engine_crashed' };
    this.options.log.error({ err: error }, 'placement.fault');
    return { reason: 'engine_crashed', detail: 'The worker could not start the engine; its log says why.', crash: true };
  }

  #show({ progress }: { progress: number }): void {
    this.#progress = Math.min(1, Math.max(0, progress));
    this.options.changed();
  }
}

/** Resolves when the version of the file has changed, or the signal aborts. */
async function untilChanged({ path, version }: { path: string; version: string }, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await fileVersion(path)) === version) {
    await delay(FILE_CHECK_MS, undefined, { signal }).catch(() => undefined);
  }
}
