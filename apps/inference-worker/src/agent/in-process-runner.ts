import { EngineLoadError } from '@slipway/engine';
import type { Runner } from '../runner/runner.js';
import type { Farewell } from '../runner/runner-messages.js';
import type { RunnerHandle, RunnerListener } from './runner-handle.js';

const FIGURES_EVERY_MS = 1_000;

/** A runner inside the agent: HTTP engines have no native code that could take the process down. */
export class InProcessRunner implements RunnerHandle {
  readonly pid = process.pid;
  readonly #figures: NodeJS.Timeout;
  readonly #loading = new AbortController();
  readonly #runner: Promise<Runner>;
  #stopping: Promise<void> | undefined;

  /** @param makeRunner is given what to call when the engine is lost after it was ready. */
  constructor(
    makeRunner: (lost: (error: EngineLoadError) => void) => Promise<Runner>,
    private readonly listener: RunnerListener,
  ) {
    this.#runner = makeRunner((error) => void this.#fail(error));
    this.#figures = setInterval(() => void this.#tellFigures(), FIGURES_EVERY_MS);
    void this.#start();
  }

  stop(farewell: Farewell): Promise<void> {
    const ended = this.#end(farewell);
    ended.catch(() => undefined);
    this.#stopping ??= ended;
    return this.#stopping;
  }

  async #end(farewell: Farewell): Promise<void> {
    this.#loading.abort(new Error('The runner ends.'));
    clearInterval(this.#figures);
    const runner = await this.#runner.catch(() => null);
    await runner?.stop(farewell);
    await this.#tellFigures();
  }

  async #start(): Promise<void> {
    try {
      const runner = await this.#runner;
      const facts = await runner.start((progress) => this.listener.progress(progress), this.#loading.signal);
      if (!this.#stopping) this.listener.ready(facts);
    } catch (error) {
      await this.#fail(error);
    }
  }

  async #fail(error: unknown): Promise<void> {
    if (this.#stopping) return;
    await this.stop({ deadlineMs: 0, stopped: false });
    const known = error instanceof EngineLoadError;
    this.listener.failed(known ? error : new EngineLoadError('engine_crashed', 'The engine could not be started.', { cause: error }));
  }

  async #tellFigures(): Promise<void> {
    const runner = await this.#runner.catch(() => null);
    const figures = runner?.figures();
    if (figures) this.listener.figures(figures);
  }
}
