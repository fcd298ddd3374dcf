import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net';

/** A door between a client and a server, to try what the network does: let through, refuse, or swallow in silence. */
export class TcpGate {
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #server: Server;
  #silent = false;
  #refusing = false;

  private constructor(
    readonly port: number,
    server: Server,
  ) {
    this.#server = server;
  }

  /** Opens a gate on a free port. @param target address of the server behind it, of which host and port are used. */
  static async open(target: string): Promise<TcpGate> {
    const { hostname, port } = new URL(target);
    const server = createServer({ pauseOnConnect: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const gate = new TcpGate((server.address() as AddressInfo).port, server);
    server.on('connection', (socket) => gate.#join(socket, createConnection({ host: hostname, port: Number(port) })));
    return gate;
  }

  /** The target's address with this gate in its place. */
  through(target: string): string {
    const url = new URL(target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** Breaks all connections and every new one. */
  refuse(): void {
    this.#refusing = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  /** Lets nothing through and closes nothing, as if the other side had frozen. */
  swallow(): void {
    this.#silent = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
  }

  /** Lets everything through again, what was swallowed first. */
  allow(): void {
    this.#refusing = this.#silent = false;
    for (const pair of this.#pairs) for (const socket of pair) socket.resume();
  }

  async end(): Promise<void> {
    this.refuse();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket, server: Socket): void {
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    const drop = (): void => {
      this.#pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const [from, to] of [pair, [server, client] as const]) {
      from.on('data', (bytes) => to.write(bytes));
      from.on('error', drop).on('close', drop);
    }
    if (this.#refusing) return drop();
    if (this.#silent) server.pause();
    else client.resume();
    return undefined;
  }
}
