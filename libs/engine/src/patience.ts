import { ServiceError } from '@slipway/contracts';

const TICK_MS = 1_000;

/** How long an engine may be silent. */
export interface PatienceLimits {
  /** Time to the first output, in milliseconds. */
  readonly firstOutputMs: number;
  /** Silence after the first output, in milliseconds; counted in whole seconds. */
  readonly silenceMs: number;
}

/**
 * Gives up on an engine that brings no first output in time, or falls silent after it. Silence is
 * counted in turns of the event loop's timer: a process that was frozen blames no engine for it.
 */
export class Patience {
  readonly #controller = new AbortController();
  readonly #firstOutput: NodeJS.Timeout;
  #silence: NodeJS.Timeout | undefined;
  #quietTicks = 0;
  #loss: ServiceError | null = null;

  /** @param outer aborts `signal` too, without being a loss of patience. */
  constructor(
    private readonly limits: PatienceLimits,
    private readonly outer: AbortSignal,
  ) {
    if (outer.aborted) this.#forward();
    else outer.addEventListener('abort', this.#forward, { once: true });
    this.#firstOutput = setTimeout(() => {
      this.#lose(new ServiceError('timeout', 'The model produced no output in time.', { retryAfterS: 5 }));
    }, limits.firstOutputMs);
  }

  /** The error that ends the stream, once patience is lost. */
  get loss(): ServiceError | null {
    return this.#loss;
  }

  /** Aborts when patience is lost, or with the outer signal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The engine produced something. */
  output(): void {
    this.#quietTicks = 0;
    if (this.#silence) return;
    clearTimeout(this.#firstOutput);
    this.#silence = setInterval(() => this.#tick(), TICK_MS);
  }

  /** The generation is over, however it went. */
  stop(): void {
    clearTimeout(this.#firstOutput);
    clearInterval(this.#silence);
    this.outer.removeEventListener('abort', this.#forward);
  }

  #tick(): void {
    this.#quietTicks += 1;
    if (this.#quietTicks * TICK_MS < this.limits.silenceMs) return;
    this.#lose(new ServiceError('engine_error', 'The model stopped producing output.'));
  }

  #lose(error: ServiceError): void {
    this.stop();
    this.#loss = error;
    this.#controller.abort(error);
  }

  readonly #forward = (): void => this.#controller.abort(this.outer.reason);
}
