const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Tells the first request to stop from further ones. */
export class StopSignals {
  readonly #listener = (): void => this.#onSignal();
  #count = 0;
  #first: () => void = () => undefined;
  #second: () => void = () => undefined;
  readonly #aborting = new AbortController();

  /** Resolves with the first signal. */
  readonly first = new Promise<void>((resolve) => {
    this.#first = resolve;
  });
  /** Resolves with the second one. */
  readonly second = new Promise<void>((resolve) => {
    this.#second = resolve;
  });

  constructor() {
    for (const name of SIGNALS) process.on(name, this.#listener);
  }

  /** Aborted by the first signal. */
  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  #onSignal(): void {
    this.#count += 1;
    if (this.#count > 1) {
      this.#second();
      return;
    }
    this.#first();
    this.#aborting.abort();
  }
}
