import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FairPlaces, type Logger, networkOf } from '@slipway/platform';
import { ClientProgress } from './client-progress.js';
import { LIMITS } from './server-limits.js';

/** Keep-alive of a connection without a valid key so far, in milliseconds. */
const UNPROVEN_KEEP_ALIVE_MS = 5_000;
/** Interval of checks whether clients read complete responses, in milliseconds. */
const CHECK_MS = 1_000;
/** A connection counts as idle when its client has read nothing of a complete response for this long, in milliseconds. */
const QUIET_MS = 5_000;
/** After this long it is closed, in milliseconds; 60 s is also the time that a stream's client has. */
const STALLED_MS = { unproven: 30_000, proven: 60_000 } as const;
/** Connections above the maximum on which health checks are still answered; other requests get 503. */
export const RESERVE = 100;
/** Idle connections that are considered for closing, oldest first; one of the address with most connections is chosen. */
const CANDIDATES = 64;
/** Time between two log lines about full connections, in milliseconds. */
const LOG_MS = 10_000;

export interface ConnectionsOptions {
  /** Most open connections. */
  readonly most: number;
  /** Most of one address (IPv6: network of 64 bits); 0 = no bound but the one above. */
  readonly perAddress: number;
  /** Most of one account with a request in progress; 0 = three for each that is free. */
  readonly perAccount: number;
  readonly log: Pick<Logger, 'warn'>;
}

interface Connection {
  readonly address: string;
  /** It was opened above the maximum, while no other was idle. */
  readonly isSurplus: boolean;
  /** A valid key was sent on it. */
  isProven: boolean;
  /** Account whose request is in progress. */
  account: number | null;
  /** Its response, and whether the client still reads it once it is complete. */
  response: ServerResponse | null;
  progress: ClientProgress | null;
}

/** Node sends this value in the `Keep-Alive` header. */
type WithKeepAlive = ServerResponse & { _keepAliveTimeout?: number };

/** All connections of the HTTP server. At the maximum, idle ones are closed to make room for new ones. */
export class Connections {
  readonly #all = new Map<Socket, Connection>();
  /** In the order in which they became idle; connections without a complete first request are idle too. */
  readonly #idle = new Set<Socket>();
  readonly #addresses = new Map<string, Set<Socket>>();
  readonly #places: FairPlaces;
  #timer: NodeJS.Timeout | undefined;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: ConnectionsOptions) {
    this.#places = new FairPlaces(options.most, options.perAccount);
  }

  /** Adds a connection. It closes an idle one where there is no room, or is closed itself where its address has too many in use. */
  opened(socket: Socket): void {
    const address = networkOf(socket.remoteAddress ?? '');
    const hasRoom = this.#makeRoom(address);
    const isSurplus = hasRoom === 'surplus';
    this.#all.set(socket, { address, isSurplus, isProven: false, account: null, response: null, progress: null });
    this.#timer ??= setInterval(() => this.#check(), CHECK_MS).unref();
    this.#idle.add(socket);
    const ofAddress = this.#addresses.get(address) ?? new Set();
    this.#addresses.set(address, ofAddress.add(socket));
    socket.once('close', () => this.#closed(socket));
    if (hasRoom === 'none') socket.destroy();
  }

  /** A request has begun: the connection is in use until the response is over, or complete and not read. */
  began(socket: Socket, response: ServerResponse): void {
    const connection = this.#all.get(socket);
    this.#idle.delete(socket);
    if (connection) connection.response = response;
    if (!connection?.isProven) (response as WithKeepAlive)._keepAliveTimeout = UNPROVEN_KEEP_ALIVE_MS;
    // Node has set its own idle timeout by then.
    response.once('close', () => {
      if (connection) this.#ended(socket, connection);
    });
  }

  /**
   * A valid key was sent: the connection counts for its account until the response is over.
   * @returns false where the account uses its share of connections
   */
  proven(socket: Socket, response: ServerResponse, account: number): boolean {
    const connection = this.#all.get(socket);
    if (!connection) return true;
    if (!connection.isProven) {
      connection.isProven = true;
      (response as WithKeepAlive)._keepAliveTimeout = LIMITS.keepAliveTimeout;
    }
    if (!this.#places.take(account)) return false;
    connection.account = account;
    return true;
  }

  /** True for a connection above the maximum, on which only health checks are answered. */
  isSurplus(socket: Socket): boolean {
    return this.#all.get(socket)?.isSurplus ?? false;
  }

  #check(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#all) {
      const { response, isProven } = connection;
      if (!response?.writableEnded) continue;
      connection.progress ??= new ClientProgress(response, now);
      const stalledMs = connection.progress.stalledFor(now);
      if (stalledMs >= (isProven ? STALLED_MS.proven : STALLED_MS.unproven)) socket.destroy();
      else if (stalledMs >= QUIET_MS) this.#idle.add(socket);
      else this.#idle.delete(socket);
    }
  }

  #ended(socket: Socket, connection: Connection): void {
    if (connection.account !== null) this.#places.leave(connection.account);
    connection.account = connection.response = connection.progress = null;
    if (socket.destroyed || !this.#all.has(socket)) return;
    this.#idle.add(socket);
    if (!connection.isProven) socket.setTimeout(UNPROVEN_KEEP_ALIVE_MS);
  }

  #closed(socket: Socket): void {
    const connection = this.#all.get(socket);
    if (!connection) return;
    this.#all.delete(socket);
    this.#idle.delete(socket);
    const ofAddress = this.#addresses.get(connection.address);
    ofAddress?.delete(socket);
    if (ofAddress?.size === 0) this.#addresses.delete(connection.address);
    if (this.#all.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #makeRoom(address: string): 'room' | 'surplus' | 'none' {
    const { most, perAddress } = this.options;
    const own = this.#addresses.get(address);
    if (own && perAddress > 0 && own.size >= perAddress) return this.#close(this.#idleOf(own)) ? 'room' : 'none';
    if (this.#all.size < most) return 'room';
    this.#warn();
    return this.#close(this.#closable()) ? 'room' : 'surplus';
  }

  #idleOf(sockets: ReadonlySet<Socket>): Socket | undefined {
    for (const socket of sockets) if (this.#idle.has(socket)) return socket;
    return undefined;
  }

  #closable(): Socket | undefined {
    let found: Socket | undefined;
    let most = 0;
    let seen = 0;
    for (const socket of this.#idle) {
      const { address = '' } = this.#all.get(socket) ?? {};
      const count = this.#addresses.get(address)?.size ?? 0;
      if (count > most) [found, most] = [socket, count];
      seen += 1;
      if (seen === CANDIDATES) break;
    }
    return found;
  }

  #close(socket: Socket | undefined): boolean {
    if (!socket) return false;
    // The `close` event comes later, perhaps after the next connection.
    this.#closed(socket);
    socket.destroy();
    return true;
  }

  #warn(): void {
    const now = performance.now();
    if (now - this.#loggedAt < LOG_MS) return;
    this.#loggedAt = now;
    this.options.log.warn({ connections: this.#all.size, addresses: this.#addresses.size }, 'http.connections_full');
  }
}
