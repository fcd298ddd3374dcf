import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Bytes of the write in progress that the kernel has not accepted. `bytesWritten` counts a write only when it is complete,
 * and a document is one write. Node's own idle timeout reads the same figure.
 */
const unsentOf = (socket: Socket): number =>
  (socket as Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null })._handle?.writeQueueSize ?? 0;

/** Detects clients that stopped reading their response. */
export class ClientProgress {
  #taken = 0;
  #unsent = 0;
  #since: number;

  constructor(
    private readonly response: ServerResponse,
    now: number,
  ) {
    this.#since = now;
  }

  /** Milliseconds during which data was pending and the client read none of it. */
  stalledFor(now: number): number {
    const { socket, writableLength } = this.response;
    const taken = socket ? socket.bytesWritten - socket.writableLength : 0;
    const unsent = socket ? unsentOf(socket) : 0;
    if (!socket || writableLength === 0 || taken !== this.#taken || unsent !== this.#unsent) {
      this.#taken = taken;
      this.#unsent = unsent;
      this.#since = now;
    }
    return now - this.#since;
  }
}
