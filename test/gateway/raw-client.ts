import { connect, type Socket } from 'node:net';
import { until } from './gateway-rig.js';

/** A TCP connection that sends exactly the bytes of a test. */
export class RawClient {
  received = '';
  closed = false;
  private constructor(readonly socket: Socket) {
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => (this.received += text));
    socket.on('close', () => (this.closed = true));
    socket.on('error', () => undefined);
  }

  static async open(port: number, host = '127.0.0.1'): Promise<RawClient> {
    const socket = connect({ port, host, allowHalfOpen: true });
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new RawClient(socket);
  }

  /** The server has closed the connection, or its half of it. */
  get ended(): boolean {
    return this.closed || this.socket.readableEnded;
  }

  send(text: string | Buffer): this {
    this.socket.write(text);
    return this;
  }

  /** Waits until the server has closed the connection, and returns everything it said. */
  async untilClosed(withinMs = 5_000): Promise<string> {
    await until('the server closes the connection', () => this.ended, withinMs);
    return this.received;
  }

  /** Waits until the text has come. */
  async untilReceived(text: string | RegExp, withinMs = 5_000): Promise<string> {
    await until(
      `the server sends ${String(text)}; it sent ${this.received}`,
      () => (typeof text === 'string' ? this.received.includes(text) : text.test(this.received)),
      withinMs,
    );
    return this.received;
  }

  /** Ends the connection as a crash would. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** A request as bytes; a body gets its length unless the headers say something about it. */
export function rawRequest(path: string, headers: readonly string[], body = '', method = 'POST'): string {
  const framed = headers.some((header) => /^(content-length|transfer-encoding):/i.test(header));
  const length = framed ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return `${method} ${path} HTTP/1.1\r\n${['Host: gw.test', ...headers, ...length].join('\r\n')}\r\n\r\n${body}`;
}
