import { EngineLoadError } from '@slipway/engine';
import { withinTime } from '@slipway/platform';

const CHECK_EVERY_MS = 5_000;
/** Failed checks in a row after which an engine counts as lost. */
const CHECKS_TO_LOSE = 3;
/**
 * The same while requests wait in it for their first output, for which they have 600 s: a server that does one thing at a
 * time answers no questions meanwhile.
 */
const CHECKS_TO_LOSE_WAITING = 120;
/** Of the checks of such a server, beyond the first three, only each 6th asks: after at most 30 s. */
const ASK_MUTE_EVERY = 6;

export interface EngineWatchOptions {
  /** Rejects when the engine cannot answer. */
  readonly check: (signal: AbortSignal) => Promise<void>;
  /** Rises with everything that the engine produces. */
  readonly outputs: () => number;
  /** Requests in the engine that have brought no output yet. */
  readonly awaiting: () => number;
  readonly lost: (error: EngineLoadError) => void;
}

/** Asks an engine every few seconds whether it can still answer, unless what it produces says so. */
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
    return this.options.awaiting() > 0 ? CHECKS_TO_LOSE_WAITING : CHECKS_TO_LOSE;
  }

  /** Nothing is lost without having been asked. */
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
