import { setTimeout as delay } from 'node:timers/promises';
import { type AgentLoad, type AssignmentItem, downloadOf, fileOf, type StateReason, WEIGHTS_FACTOR, withQuery } from '@slipway/contracts';
import { EngineLoadError } from '@slipway/engine';
import { fileVersion } from '@slipway/model-store';
import type { Logger } from '@slipway/platform';
import type { RunnerName } from '../identity/runner-names.js';
import type { ModelSources, ObtainedModel } from './model-sources.js';
import type { Farewell, RunnerFacts, RunnerFigures } from '../runner/runner-messages.js';
import type { MemoryClaim } from './memory.js';
import { retryDelay } from './retry-delay.js';
import type { RunnerHandle, RunnerListener } from './runner-handle.js';

/** A runner that served for this long has recovered from what it failed of before, in milliseconds. */
const STABLE_AFTER_MS = 60_000;
/** Part of the shown progress that a download takes; the rest is loading. */
const DOWNLOAD_SHARE = 0.9;
const DETAIL_CHARS = 500;
/** How often the file of a model that cannot be loaded is looked at for a change, in milliseconds. */
const FILE_LOOK_MS = 2_000;

interface Trouble {
  readonly reason: StateReason;
  readonly detail: string;
  readonly crash: boolean;
}

export interface PlacementOptions {
  readonly item: AssignmentItem;
  readonly models: ModelSources;
  /** @throws EngineLoadError where there is no name now */
  readonly nameRunner: () => Promise<RunnerName>;
  readonly startRunner: (what: { readonly model: ObtainedModel; readonly name: RunnerName }, listener: RunnerListener) => RunnerHandle;
  /** The report changed. */
  readonly changed: () => void;
  /** Counted since the runner started; a new runner begins at nothing. */
  readonly figures: (figures: RunnerFigures, before: RunnerFigures | null) => void;
  readonly crashed: () => void;
  readonly log: Logger;
}

/** Keeps one assigned item running for as long as it is assigned, and tells how that goes. */
export class Placement {
  readonly #stopped = new AbortController();
  readonly #leaving = new Set<Promise<void>>();
  #runner: RunnerHandle | null = null;
  #facts: RunnerFacts | null = null;
  #figures: RunnerFigures | null = null;
  #progress: number | null = null;
  #trouble: Trouble | null = null;
  #failures = 0;
  #bytes = 0;
  /** The file that was loaded last, and what it was like before. */
  #file: { readonly path: string; readonly version: string } | null = null;
  #refetched = false;

  constructor(private readonly options: PlacementOptions) {}

  get item(): AssignmentItem {
    return this.options.item;
  }

  /** With the query of a download's address, which is a secret and travels beside it. */
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
    return { need: Math.ceil(this.#bytes * WEIGHTS_FACTOR), pid: this.#runner?.pid ?? null };
  }

  get report(): AgentLoad {
    const { dep, rev } = this.item;
    const trouble = this.#shownTrouble();
    const state = this.#stateOf(trouble);
    return {
      dep,
      rev,
      state,
      progress: state === 'loading' ? this.#progress : null,
      reason: trouble?.reason ?? null,
      detail: trouble?.detail.slice(0, DETAIL_CHARS) ?? null,
      pid: this.#runner?.pid || null,
      context: this.#facts?.context ?? null,
      caps: this.#facts?.caps ?? [],
    };
  }

  /** Runs until `stop`. */
  async keep(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const trouble = await this.#runOnce(signal);
      if (trouble && !signal.aborted && !(await this.#discards(trouble))) await this.#pauseAfter(trouble, signal);
    }
  }

  /** Takes nothing new, lets running streams end within the time; resolves when nothing of it is left. Called again, the nearer deadline counts. */
  async stop(farewell: Farewell): Promise<void> {
    this.#stopped.abort(new Error('Not assigned any more.'));
    this.options.changed();
    await Promise.all([this.#runner?.stop(farewell), ...this.#leaving]);
  }

  #stateOf(trouble: Trouble | null): AgentLoad['state'] {
    if (this.#stopped.signal.aborted) return 'draining';
    if (trouble) return 'failed';
    return this.#facts ? 'ready' : 'loading';
  }

  /** One crash is repaired without a word; from the second in a row on, people should know. */
  #shownTrouble(): Trouble | null {
    const quiet = this.#trouble?.crash === true && this.#failures < 2;
    return quiet || this.#facts || this.#stopped.signal.aborted ? null : this.#trouble;
  }

  /** @returns what went wrong; null when the runner was told to end, by us or by somebody else. */
  async #runOnce(signal: AbortSignal): Promise<Trouble | null> {
    let readyAt = Number.POSITIVE_INFINITY;
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
      signal.throwIfAborted();
      const name = await this.options.nameRunner();
      if (signal.aborted) {
        name.giveBack();
        return null;
      }
      return await this.#runTo({ model, name }, signal, () => (readyAt = performance.now()));
    } catch (error) {
      if (signal.aborted) return null;
      return this.#describe(error);
    } finally {
      if (performance.now() - readyAt > STABLE_AFTER_MS) this.#failures = 0;
      this.#facts = null;
      if (!signal.aborted) this.#runner = null;
    }
  }

  /** Resolves when the runner has ended or begins to; rejects when it cannot serve. */
  #runTo(what: { model: ObtainedModel; name: RunnerName }, signal: AbortSignal, ready: () => void): Promise<Trouble | null> {
    const base = downloadOf(this.item.source) === null ? 0 : DOWNLOAD_SHARE;
    this.#figures = null;
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => resolve(null), { once: true });
      this.#runner = this.options.startRunner(what, {
        progress: (progress) => this.#show({ progress: base + progress * (1 - base) }),
        ready: (facts) => {
          ready();
          this.#facts = facts;
          this.#trouble = null;
          this.options.log.info({ runner: facts.wk, pid: this.#runner?.pid }, 'placement.ready');
          this.options.changed();
        },
        figures: (figures) => {
          this.options.figures(figures, this.#figures);
          this.#figures = figures;
        },
        failed: reject,
        gone: ({ crash, detail, over }) => {
          if (!crash) this.#letGo(over);
          resolve(crash ? { reason: 'engine_crashed', detail, crash } : null);
        },
      });
      this.options.changed();
    });
  }

  /** A download that cannot be loaded is made anew, once. */
  async #discards({ reason }: Trouble): Promise<boolean> {
    if (reason !== 'model_invalid' || this.#refetched) return false;
    this.#refetched = true;
    return this.options.models.discard(this.#source);
  }

  /** The runner finishes its streams on its own account, while its successor loads. */
  #letGo(over: Promise<void>): void {
    this.#leaving.add(over);
    void over.then(() => this.#leaving.delete(over));
  }

  async #pauseAfter(trouble: Trouble, signal: AbortSignal): Promise<void> {
    this.#failures += 1;
    this.#trouble = trouble;
    this.#progress = null;
    if (trouble.crash) this.options.crashed();
    // The same file fails the same way: only another one is worth a try.
    const damaged = trouble.reason === 'model_invalid' ? this.#file : null;
    const wait = damaged ? null : retryDelay(this.#failures, trouble.crash);
    this.options.log.warn({ reason: trouble.reason, detail: trouble.detail, again_in_ms: wait }, 'placement.failed');
    this.options.changed();
    if (damaged) await untilChanged(damaged, signal);
    else await delay(wait ?? 0, undefined, { signal }).catch(() => undefined);
  }

  #describe(error: unknown): Trouble {
    if (error instanceof EngineLoadError) return { reason: error.reason, detail: error.message, crash: error.reason === 'engine_crashed' };
    this.options.log.error({ err: error }, 'placement.fault');
    return { reason: 'engine_crashed', detail: 'The worker could not start the engine; its log says why.', crash: true };
  }

  #show({ progress }: { progress: number }): void {
    this.#progress = Math.min(1, Math.max(0, progress));
    this.options.changed();
  }
}

/** Resolves when the file is another one, or the signal aborts. */
async function untilChanged({ path, version }: { path: string; version: string }, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await fileVersion(path)) === version) {
    await delay(FILE_LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}
