import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * What the system has not yet taken of the write in progress, in bytes. A document is one write: its socket counts it only
 * when all of it has left. Node's own idle timeout looks here too.
 */
const unsentOf = (socket: Socket): number =>
  (socket as Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null })._handle?.writeQueueSize ?? 0;

/** Tells whether a client takes anything of what was written for it. */
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

  /** For how long, in milliseconds, something has waited for the client without a byte being taken. */
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
