import type { Socket } from 'node:net';
import { buildConnector } from 'undici';

/** A socket that is not read at the moment. */
export interface HeldSocket {
  /** Lets it be read again, and reads at once what has arrived; from outside of undici's calls alone. */
  readOn(): void;
  /** Lets it be read again by whoever reads next. */
  release(): void;
}

/**
 * Sockets of an undici client that can be held while an answer is read from them. undici's own way, to pause its parser, ends
 * the process or hangs where the server closes the connection meanwhile (undici 7.30; its issue 5360 is mended in 8 alone,
 * which needs Node 22). A socket that is held seems to have no more bytes: its buffers fill, and the server waits.
 */
export class SocketGate {
  #reading: GatedSocket | null = null;

  /**
   * @param timeout for connecting, in milliseconds
   * @param socketPath of a Unix socket that is connected to instead of a host
   */
  connector(timeout: number, socketPath: string | undefined): buildConnector.connector {
    const connect = buildConnector({ timeout, ...(socketPath !== undefined && { socketPath }) });
    return (options, callback) =>
      connect(options, (...result) => {
        const [, socket] = result;
        if (socket) new GatedSocket(socket, (gated) => (this.#reading = gated));
        callback(...result);
      });
  }

  /** Holds the socket whose bytes undici hands on at the moment: it parses what it reads before it reads another one. */
  hold(): HeldSocket {
    if (!this.#reading) throw new Error('No socket of this client was read yet.');
    this.#reading.isHeld = true;
    return this.#reading;
  }
}

class GatedSocket implements HeldSocket {
  isHeld = false;

  constructor(
    private readonly socket: Socket,
    reads: (gated: GatedSocket) => void,
  ) {
    const read = socket.read.bind(socket);
    socket.read = (size?: number): unknown => {
      // Node itself asks for 0 bytes, to fill the buffer and learn of the end.
      if (this.isHeld && size !== 0) return null;
      reads(this);
      return read(size);
    };
  }

  readOn(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    this.socket.emit('readable');
  }

  release(): void {
    this.isHeld = false;
  }
}
