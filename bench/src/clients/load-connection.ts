import { type Socket, connect } from 'node:net';
import { ResponseReader, type ResponseSink } from './response-reader.js';

/** Who waits for a response. */
export interface Waiting extends ResponseSink {
  /** The connection broke before the response was complete. */
  broken(reason: string): void;
}

/** One keep-alive connection that carries one request at a time. */
export class LoadConnection {
  #socket: Socket | null = null;
  #waiting: Waiting | null = null;

  constructor(private readonly port: number) {}

  send(request: Buffer, waiting: Waiting): void {
    this.#waiting = waiting;
    this.#socket ??= this.#open();
    this.#socket.write(request);
  }

  /** Ends a request that waits for its response, and the connection. */
  abort(reason: string): void {
    const waiting = this.#waiting;
    this.close();
    waiting?.broken(reason);
  }

  close(): void {
    this.#waiting = null;
    this.#socket?.destroy();
    this.#socket = null;
  }

  #open(): Socket {
    const socket = connect({ port: this.port, host: '127.0.0.1', noDelay: true });
    const reader = new ResponseReader({
      head: (status) => this.#waiting?.head(status),
      body: (text) => this.#waiting?.body(text),
      end: () => {
        const waiting = this.#waiting;
        this.#waiting = null;
        waiting?.end();
      },
    });
    const lost = (reason: string): void => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      const waiting = this.#waiting;
      this.#waiting = null;
      waiting?.broken(reason);
    };
    socket.on('data', (bytes) => {
      try {
        reader.feed(bytes);
      } catch (error) {
        lost(error instanceof Error ? error.message : String(error));
        socket.destroy();
      }
    });
    socket.on('error', (error) => lost(error.message));
    socket.on('close', () => lost('the connection was closed'));
    return socket;
  }
}
