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
  /** Open responses to known callers. */
  held: number;
}

/** The connections of one network. */
interface Group {
  count: number;
  /** Connections that may be closed, longest idle first. */
  readonly loose: Set<Connection>;
}

/**
 * Bounds the connections of a server, in total and per network. When there is no room, a new connection replaces the longest
 * idle one that serves no known caller. Where every connection serves a known caller, the new one is read only for health
 * checks (`isExtra`).
 */
export class ConnectionLimits {
  readonly #connections = new Map<Socket, Connection>();
  readonly #groups = new Map<string, Group>();
  readonly #loose = new Set<Connection>();
  readonly #extras = new Set<Connection>();

  readonly #places: FairPlaces;

  constructor(private readonly bounds: ConnectionBounds) {
    this.#places = new FairPlaces(bounds.max);
  }

  /** Counted connections, without the reserve. */
  get size(): number {
    return this.#connections.size - this.#extras.size;
  }

  /** Applies the bounds to a server. */
  watch(server: Server): void {
    server.on('connection', (socket) => this.#enter(socket));
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#touch(request.socket);
      response.once('close', () => this.#touch(request.socket));
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
    this.#loose.delete(connection);
    this.#groupOf(connection.network).loose.delete(connection);
    response.once('close', () => {
      connection.held -= 1;
      this.#places.leave(account);
      this.#touch(connection.socket);
    });
    return true;
  }

  #enter(socket: Socket): void {
    const network = networkOf(socket.remoteAddress ?? '');
    const connection: Connection = { socket, network, isExtra: !this.#makeRoom(network), held: 0 };
    this.#connections.set(socket, connection);
    if (connection.isExtra) this.#keepExtra(connection);
    else this.#groupOf(network).count += 1;
    this.#touch(socket);
    socket.once('close', () => this.#leave(connection));
  }

  #makeRoom(network: string): boolean {
    const group = this.#groups.get(network);
    if (group && group.count >= this.bounds.perNetwork) return this.#closeFirst(group.loose);
    return this.size < this.bounds.max || this.#closeFirst(this.#loose);
  }

  #keepExtra(connection: Connection): void {
    this.#extras.add(connection);
    if (this.#extras.size > this.bounds.reserve) this.#closeFirst(this.#extras);
  }

  #closeFirst(connections: ReadonlySet<Connection>): boolean {
    const [first] = connections;
    if (!first) return false;
    this.#leave(first);
    first.socket.destroy();
    return true;
  }

  /** Moves a connection to the end of the closable ones. */
  #touch(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (!connection || connection.isExtra || connection.held > 0) return;
    for (const set of [this.#loose, this.#groupOf(connection.network).loose]) {
      set.delete(connection);
      set.add(connection);
    }
  }

  #leave(connection: Connection): void {
    if (!this.#connections.delete(connection.socket)) return;
    if (this.#extras.delete(connection)) return;
    this.#loose.delete(connection);
    const group = this.#groupOf(connection.network);
    group.loose.delete(connection);
    group.count -= 1;
    if (group.count <= 0) this.#groups.delete(connection.network);
  }

  #groupOf(network: string): Group {
    let group = this.#groups.get(network);
    if (!group) this.#groups.set(network, (group = { count: 0, loose: new Set() }));
    return group;
  }
}
