import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FairPlaces } from '../collections/fair-places.js';
import { networkOf } from './networks.js';

/** Bounds of the connections that a server accepts. */
export interface ConnectionBounds {
  /** Connections at once. */
  readonly max: number;
  /** Connections at once of one network: an IPv4 address, or the /64 of an IPv6 one. */
  readonly perNetwork: number;
  /** Additional connections that are read for health checks only. */
  readonly reserve: number;
}

interface Connection {
  readonly socket: Socket;
  readonly network: string;
  /** Whether it is one of the reserve. */
  isExtra: boolean;
  /** Open responses to known callers; it may be closed for another one while there are none. */
  held: number;
  /** Counter of uses at its last one: the lowest is idle for longest. */
  used: number;
}

/**
 * Bounds the connections of a server, in total and per network. When there is no room, a new connection replaces the longest
 * idle one that serves no known caller. Where every connection serves a known caller, the new one is read only for health
 * checks (`isExtra`).
 */
export class ConnectionLimits {
  readonly #connections = new Map<Socket, Connection>();
  /** Counted connections of each network. */
  readonly #networks = new Map<string, number>();
  readonly #places: FairPlaces;
  #extras = 0;
  #uses = 0;

  constructor(private readonly bounds: ConnectionBounds) {
    this.#places = new FairPlaces(bounds.max);
  }

  /** Counted connections, without the reserve. */
  get size(): number {
    return this.#connections.size - this.#extras;
  }

  /** Applies the bounds to a server. */
  watch(server: Server): void {
    server.on('connection', (socket) => this.#enter(socket));
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      const connection = this.#connections.get(request.socket);
      if (!connection) return;
      this.#touch(connection);
      response.once('close', () => this.#touch(connection));
    });
  }

  /** True for a connection of the reserve, on which only health checks are answered. */
  isExtra({ socket }: Pick<IncomingMessage, 'socket'>): boolean {
    return this.#connections.get(socket)?.isExtra ?? false;
  }

  /**
   * Marks a request as one of a known caller: its connection is kept until the response has ended.
   * @returns false when the caller's account already has its share of kept connections; then this one is not kept
   */
  hold(request: Pick<IncomingMessage, 'socket'>, response: ServerResponse, account: number): boolean {
    const connection = this.#connections.get(request.socket);
    if (!connection || connection.isExtra) return true;
    if (!this.#places.take(account)) return false;
    connection.held += 1;
    response.once('close', () => {
      connection.held -= 1;
      this.#places.leave(account);
    });
    return true;
  }

  #enter(socket: Socket): void {
    const network = networkOf(socket.remoteAddress ?? '');
    const connection: Connection = { socket, network, isExtra: !this.#makeRoom(network), held: 0, used: 0 };
    this.#touch(connection);
    this.#connections.set(socket, connection);
    if (connection.isExtra) this.#keepExtra();
    else this.#networks.set(network, this.#countOf(network) + 1);
    socket.once('close', () => this.#leave(connection));
  }

  #makeRoom(network: string): boolean {
    if (this.#countOf(network) >= this.bounds.perNetwork) return this.#closeIdlest((other) => !other.isExtra && other.network === network);
    return this.size < this.bounds.max || this.#closeIdlest((other) => !other.isExtra);
  }

  #keepExtra(): void {
    this.#extras += 1;
    if (this.#extras > this.bounds.reserve) this.#closeIdlest((other) => other.isExtra);
  }

  /**
   * Closes the connection that is idle for longest, of those that match and serve no known caller. It is looked for when it is
   * needed, among `max` at most: a list in the order of use would be changed twice for each request.
   */
  #closeIdlest(matches: (other: Connection) => boolean): boolean {
    let idlest: Connection | undefined;
    for (const other of this.#connections.values()) {
      if (other.held === 0 && matches(other) && (!idlest || other.used < idlest.used)) idlest = other;
    }
    if (!idlest) return false;
    this.#leave(idlest);
    idlest.socket.destroy();
    return true;
  }

  #touch(connection: Connection): void {
    this.#uses += 1;
    connection.used = this.#uses;
  }

  #leave(connection: Connection): void {
    if (!this.#connections.delete(connection.socket)) return;
    const { isExtra, network } = connection;
    if (isExtra) this.#extras -= 1;
    else if (this.#countOf(network) > 1) this.#networks.set(network, this.#countOf(network) - 1);
    else this.#networks.delete(network);
  }

  #countOf(network: string): number {
    return this.#networks.get(network) ?? 0;
  }
}
