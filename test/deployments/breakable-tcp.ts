import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a TCP server that can be cut, or made to swallow everything. */
export class BreakableTcp {
  readonly #sockets = new Set<Socket>();
  #mode: 'open' | 'cut' | 'hang' = 'open';

  private constructor(private readonly target: { host: string; port: number }) {}

  readonly #server = createServer((inside) => this.#accept(inside));

  private static async to(host: string, port: number): Promise<BreakableTcp> {
    const way = new BreakableTcp({ host, port });
    way.#server.listen(0, '127.0.0.1');
    await once(way.#server, 'listening');
    return way;
  }

  /** A way to the database of this address, and the address by which it is taken. */
  static async toDatabase(address: string): Promise<[way: BreakableTcp, address: string]> {
    const url = new URL(address);
    const way = await BreakableTcp.to(url.hostname, Number(url.port));
    url.hostname = '127.0.0.1';
    url.port = String(way.port);
    return [way, url.href];
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends all connections and refuses new ones at once. */
  cut(): void {
    this.#mode = 'cut';
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Keeps all connections, accepts new ones, and carries nothing. */
  hang(): void {
    this.#mode = 'hang';
    for (const socket of this.#sockets) socket.pause();
  }

  /** As if nothing had been; connections that hung get what waited. */
  heal(): void {
    this.#mode = 'open';
    for (const socket of this.#sockets) socket.resume();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(inside: Socket): void {
    if (this.#mode === 'cut') {
      inside.destroy();
      return;
    }
    const outside = connect(this.target);
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => from.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.on('data', (bytes) => to.write(bytes));
      if (this.#mode === 'hang') from.pause();
    }
  }
}
