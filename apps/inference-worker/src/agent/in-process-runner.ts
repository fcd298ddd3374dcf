import { EngineLoadError } from '@slipway/engine';
import type { Runner } from '../runner/runner.js';
import type { DrainOptions, RunnerHandle, RunnerListener } from '../runner/runner-messages.js';

const FIGURES_EVERY_MS = 1_000;

/** A runner inside the agent, for HTTP engines: they have no native code that could crash the process. */
export class InProcessRunner implements RunnerHandle {
  readonly pid = process.pid;
  readonly #figures: NodeJS.Timeout;
  readonly #loading = new AbortController();
  readonly #runner: Promise<Runner>;
  #stopping: Promise<void> | undefined;

  /** @param makeRunner gets a callback for an engine that is lost after it was ready. */
  constructor(
    makeRunner: (lost: (error: EngineLoadError) => void) => Promise<Runner>,
    private readonly listener: RunnerListener,
  ) {
    this.#runner = makeRunner((error) => void this.#fail(error));
    this.#figures = setInterval(() => void this.#reportFigures(), FIGURES_EVERY_MS);
    void this.#start();
  }

  stop(options: DrainOptions): Promise<void> {
    const ended = this.#end(options);
    ended.catch(() => undefined);
    this.#stopping ??= ended;
    return this.#stopping;
  }

  async #end(options: DrainOptions): Promise<void> {
    this.#loading.abort(new Error('The runner ends.'));
    clearInterval(this.#figures);
    const runner = await this.#runner.catch(() => null);
    await runner?.stop(options);
    await this.#reportFigures();
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

  async #reportFigures(): Promise<void> {
    const runner = await this.#runner.catch(() => null);
    const figures = runner?.figures();
    if (figures) this.listener.figures(figures);
  }
}
