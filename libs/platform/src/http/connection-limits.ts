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
  /** Connections beyond these that are read all the same, so that health checks get their answer. */
  readonly reserve: number;
}

interface Connection {
  readonly socket: Socket;
  readonly network: string;
  /** Taken from the reserve. */
  isExtra: boolean;
  /** Open responses to known callers. */
  held: number;
}

/** The connections of one network. */
interface Group {
  count: number;
  /** Those that may be closed, the one that was quiet for longest first. */
  readonly loose: Set<Connection>;
}

/**
 * Bounds how many connections a server has, in all and of each network. When there is no room, a new connection takes the
 * place of the one that has been quiet for longest among those that serve no known caller: idle ones, and ones whose
 * request nobody has vouched for. Where every connection serves a known caller, the new one is read only for its health
 * check (`isExtra`).
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

  /** Connections that count, those of the reserve left out. */
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

  /** True for a connection of the reserve: nothing but a health check is answered there. */
  isExtra({ socket }: Pick<IncomingMessage, 'socket'>): boolean {
    return this.#connections.get(socket)?.isExtra ?? false;
  }

  /**
   * Says that a request is one of a known caller: its connection stays until the response is over.
   * @returns false where the caller's account has its share of connections that stay; then this one does not
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

  /** Moves a connection to the end of those that may be closed. */
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
