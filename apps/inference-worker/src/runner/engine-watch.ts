import { EngineLoadError } from '@slipway/engine';
import { withinTime } from '@slipway/platform';

const CHECK_EVERY_MS = 5_000;
/** Failed checks in a row after which an engine counts as lost. */
const CHECKS_TO_LOSE = 3;
/** After the first three failed checks only every 6th sends a request: every 30 s. */
const ASK_MUTE_EVERY = 6;

export interface EngineWatchOptions {
  /** Rejects when the engine cannot answer. */
  readonly check: (signal: AbortSignal) => Promise<void>;
  /** A counter that rises with every output of the engine. */
  readonly outputs: () => number;
  /**
   * The longest time that a request which waits for its first output was given for it, in milliseconds; 0 while none waits. A
   * server that handles one request at a time answers no checks meanwhile, so it is not lost before this time is over.
   */
  readonly firstOutputMs: () => number;
  readonly lost: (error: EngineLoadError) => void;
}

/** Checks every 5 s whether an engine still answers, unless it produces output. */
export class EngineWatch {
  readonly #stopped = new AbortController();
  readonly #checks: NodeJS.Timeout;
  #failed = 0;
  #outputsSeen = 0;

  constructor(private readonly options: EngineWatchOptions) {
    this.#checks = setInterval(() => void this.#check(), CHECK_EVERY_MS);
  }

  stop(): void {
    this.#stopped.abort();
    clearInterval(this.#checks);
  }

  async #check(): Promise<void> {
    const outputs = this.options.outputs();
    const busy = outputs !== this.#outputsSeen;
    this.#outputsSeen = outputs;
    if (busy) this.#failed = 0;
    else if (this.#isDue) await this.#ask();
    else this.#failed += 1;
  }

  get #enough(): number {
    return Math.max(CHECKS_TO_LOSE, Math.ceil(this.options.firstOutputMs() / CHECK_EVERY_MS));
  }

  /** Whether this check sends a request; the one that could report a loss always does. */
  get #isDue(): boolean {
    return this.#failed < CHECKS_TO_LOSE || this.#failed % ASK_MUTE_EVERY === 0 || this.#failed + 1 >= this.#enough;
  }

  async #ask(): Promise<void> {
    const { signal } = this.#stopped;
    try {
      await withinTime(signal, CHECK_EVERY_MS, this.options.check);
      this.#failed = 0;
    } catch (error) {
      this.#failed += 1;
      if (signal.aborted || this.#failed < this.#enough) return;
      this.stop();
      const known = error instanceof EngineLoadError;
      this.options.lost(known ? error : new EngineLoadError('engine_unreachable', 'The engine does not answer.', { cause: error }));
    }
  }
}
