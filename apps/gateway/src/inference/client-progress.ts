import type { ServerResponse } from 'node:http';

/** Tells whether a client takes anything of what was written for it. */
export class ClientProgress {
  #taken = 0;
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
    if (!socket || writableLength === 0 || taken !== this.#taken) {
      this.#taken = taken;
      this.#since = now;
    }
    return now - this.#since;
  }
}
