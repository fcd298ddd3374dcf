/** Shared by all aborts: an abort without a reason would create an exception with a stack trace each time. */
const ABORTED = new Error('The wait has ended.');

/**
 * An AbortController that is created on first use of `signal`. Most streams never need one, and creating it costs more than
 * most other steps of a short request.
 */
export class LazyAbort {
  #controller: AbortController | null = null;
  #aborted = false;

  /** Aborts when `abort` is called; already aborted after that. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted) this.#controller.abort(ABORTED);
    return this.#controller.signal;
  }

  abort(): void {
    this.#aborted = true;
    this.#controller?.abort(ABORTED);
  }
}
