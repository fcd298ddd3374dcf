import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Writes the body of a response piece by piece. Node writes a piece as three buffers with two turns of bookkeeping; a piece with
 * its chunk framing (RFC 9112, section 7.1) in one string takes a third less CPU. Node ends the body, and writes what the socket
 * is not free for: the first piece with its headers, a pipelined response, one without chunks (HTTP/1.0).
 */
export class ChunkedBody {
  #socket: Socket | null = null;
  #isBegun = false;

  /** @param drained called when the client takes data again */
  constructor(
    private readonly response: ServerResponse,
    private readonly drained: () => void,
  ) {
    response.on('drain', drained);
  }

  /** Whether the client takes less than is written. */
  get isBehind(): boolean {
    return this.response.writableNeedDrain || this.#socket?.writableNeedDrain === true;
  }

  /** @param piece not empty, since an empty chunk would end the body */
  write(piece: string): void {
    const socket = this.#socket ?? this.#freeSocket();
    if (socket === null) {
      this.#isBegun = true;
      this.response.write(piece);
      return;
    }
    const bytes = Buffer.byteLength(piece);
    socket.write(`${bytes.toString(16)}\r\n${piece}\r\n`, bytes === piece.length ? 'latin1' : 'utf8');
  }

  /** The response's own socket once Node has written the headers, which it does with the first piece, and holds nothing back. */
  #freeSocket(): Socket | null {
    const { response, drained } = this;
    const { socket } = response;
    if (!this.#isBegun || !socket || !response.chunkedEncoding || response.writableLength !== socket.writableLength) return null;
    this.#socket = socket;
    socket.on('drain', drained);
    response.once('close', () => socket.off('drain', drained));
    return socket;
  }
}
