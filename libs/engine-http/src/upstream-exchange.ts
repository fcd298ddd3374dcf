import type { Dispatcher } from 'undici';
import type { Pace } from './read-shares.js';
import type { HeldSocket, SocketGate } from './socket-gate.js';

/** Largest body that is kept as text unless the asker says otherwise, in bytes. */
const TEXT_BYTES = 64 * 1024;
/** Pieces of it that are taken: a server may send each byte as a chunk, and each takes a few microseconds of the event loop. */
const TEXT_PIECES = 1_024;

type ResponseHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** A header by its lower-case name. */
export type ReadHeader = (name: string) => string | undefined;

/** Takes the body of an answer while it arrives, without a turn of the event loop in between. What it throws ends the request. */
export interface BodySink {
  /** The answer begins. @returns false for one whose body is to be kept as text instead. */
  begins(status: number, header: ReadHeader): boolean;
  /** @returns whether the piece ended inside an event. */
  bytes(piece: Uint8Array): boolean;
}

/** An answer that is over. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly header: ReadHeader;
  /** As much of the body as was to be kept; '' where the sink took it. */
  readonly text: string;
}

const headerOf =
  (headers: ResponseHeaders): ReadHeader =>
  (name) => {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
  };

export interface ExchangeOptions {
  readonly sink: BodySink;
  readonly signal: AbortSignal;
  readonly pace: Pace;
  /** Holds the sockets of the client that the request goes through. */
  readonly gate: Pick<SocketGate, 'hold'>;
  /** Bytes of a body that are kept as text, 64 KiB unless set; the rest is thrown away with its connection. */
  readonly textBytes?: number;
}

/** One request and its answer: the handler of undici's events. */
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
  #held: HeldSocket | null = null;
  #uncounted = 0;
  #isOver = false;

  constructor(private readonly options: ExchangeOptions) {
    const { signal } = options;
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
    if (this.options.signal.aborted) this.#onAbort();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    // They hold what the socket read with them, for as long as the answer takes.
    controller.rawHeaders = null;
    if (status < 200) return;
    this.#status = status;
    this.#header = headerOf(headers);
    this.#isTaken = this.options.sink.begins(status, this.#header);
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (!this.#isTaken) return this.#keep(controller, piece);
    const { sink } = this.options;
    let inside: boolean;
    try {
      inside = sink.bytes(piece);
    } catch (error) {
      this.#fail(error);
      return controller.abort(new Error('The answer is not wanted any more.'));
    }
    return this.#pace(piece.length, inside);
  }

  /** One read of the socket may bring several pieces: those that come behind a hold are counted with the next one. */
  #pace(bytes: number, inside: boolean): void {
    const { pace, gate } = this.options;
    this.#uncounted += bytes;
    if (this.#held || this.#isOver) return;
    const taken = this.#uncounted;
    this.#uncounted = 0;
    if (!pace.take(taken, inside, this.#readOn)) this.#held = gate.hold();
  }

  readonly #readOn = (): void => {
    const held = this.#held;
    this.#held = null;
    held?.readOn();
  };

  onResponseEnd(): void {
    this.#over();
    this.#resolve({ status: this.#status, header: this.#header, text: Buffer.concat(this.#kept).toString('utf8') });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #keep(controller: Dispatcher.DispatchController, piece: Buffer): void {
    const room = (this.options.textBytes ?? TEXT_BYTES) - this.#keptBytes;
    // undici writes the next bytes where these are.
    this.#kept.push(Buffer.from(piece.subarray(0, room)));
    this.#keptBytes += piece.length;
    if (piece.length < room && this.#kept.length < TEXT_PIECES) return;
    this.onResponseEnd();
    controller.abort(new Error('The rest is not wanted.'));
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.options.signal.reason;
    this.#fail(reason);
    this.#controller?.abort(reason instanceof Error ? reason : new Error('The request was given up.'));
  };

  #fail(error: unknown): void {
    this.#over();
    this.#reject(error);
  }

  #over(): void {
    this.options.signal.removeEventListener('abort', this.#onAbort);
    this.#isOver = true;
    // The next request may go over the same connection.
    this.#held?.release();
    this.#held = null;
  }
}
