import type { Dispatcher } from 'undici';

/** Largest body that is kept as text, in bytes. */
const TEXT_BYTES = 64 * 1024;

type ResponseHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** A header by its lower-case name. */
export type ReadHeader = (name: string) => string | undefined;

/** Takes the body of an answer while it arrives, without a turn of the event loop in between. What it throws ends the request. */
export interface BodySink {
  /** The answer begins. @returns false for one whose body is to be kept as text instead. */
  begins(status: number, header: ReadHeader): boolean;
  bytes(piece: Uint8Array): void;
}

/** An answer that is over. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly header: ReadHeader;
  /** The body's first 64 KiB; '' where the sink took it. */
  readonly text: string;
}

const headerOf =
  (headers: ResponseHeaders): ReadHeader =>
  (name) => {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
  };

/** One request and its answer, as undici tells it. */
export class UpstreamExchange implements Dispatcher.DispatchHandler {
  /** Resolves when the answer is over. Rejects with the signal's reason, what the sink threw, or the fault of the connection. */
  readonly answer: Promise<UpstreamAnswer>;
  #resolve: (answer: UpstreamAnswer) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #header: ReadHeader = () => undefined;
  #isTaken = false;
  #kept: Buffer[] = [];
  #keptBytes = 0;

  constructor(
    private readonly sink: BodySink,
    private readonly signal: AbortSignal,
  ) {
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It was given up while it waited for a connection.
    if (this.signal.aborted) this.#onAbort();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#header = headerOf(headers);
    this.#isTaken = this.sink.begins(status, this.#header);
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (!this.#isTaken) return this.#keep(controller, piece);
    try {
      this.sink.bytes(piece);
    } catch (error) {
      this.#fail(error);
      controller.abort(new Error('The answer is not wanted any more.'));
    }
  }

  onResponseEnd(): void {
    this.#over();
    this.#resolve({ status: this.#status, header: this.#header, text: Buffer.concat(this.#kept).toString('utf8') });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #keep(controller: Dispatcher.DispatchController, piece: Buffer): void {
    const room = TEXT_BYTES - this.#keptBytes;
    // undici writes the next bytes where these are.
    this.#kept.push(Buffer.from(piece.subarray(0, room)));
    this.#keptBytes += piece.length;
    if (piece.length < room) return;
    this.onResponseEnd();
    controller.abort(new Error('The rest is not wanted.'));
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.signal.reason;
    this.#fail(reason);
    this.#controller?.abort(reason instanceof Error ? reason : new Error('The request was given up.'));
  };

  #fail(error: unknown): void {
    this.#over();
    this.#reject(error);
  }

  #over(): void {
    this.signal.removeEventListener('abort', this.#onAbort);
  }
}
