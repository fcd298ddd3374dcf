/** Made once: an abort without a reason makes an exception, stack trace included, each time. */
const OVER = new Error('It is over.');

/** The end of something, whose signal is made when somebody wants to hear of it: few ever do, and signals cost more than most of a short request. */
export class Ending {
  #controller: AbortController | null = null;
  #over = false;

  /** Aborted once it is over. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#over) this.#controller.abort(OVER);
    return this.#controller.signal;
  }

  end(): void {
    this.#over = true;
    this.#controller?.abort(OVER);
  }
}
