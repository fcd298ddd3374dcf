import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { ServiceError } from '@slipway/contracts';
import { type BudgetShare, ConnectionLimits, type HeldBody, networkOf, readHeldBody, SharedBudget } from '@slipway/platform';
import type { FastifyRequest } from 'fastify';
import type { SignedIn } from '../sessions/access-tokens.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; absent on routes that accept anybody. */
    signedIn?: SignedIn;
    /** The body's part of the budget; given back at the end of the response at the latest. */
    held?: HeldBody;
  }
}

/** What connections and bodies may take of this process. */
export interface RequestBoundsOptions {
  readonly connectionsMax: number;
  /** Connections at once of one client address, or of the /64 of an IPv6 one. */
  readonly connectionsPerAddress: number;
  /** What all bodies together may hold, in bytes. */
  readonly bodiesBytesMax: number;
}

/** Who sends a body. */
export interface BodySender {
  /** Of the client. */
  readonly address: string;
  /** Absent while nobody knows them. `by` = what opened the door: a session or a key. */
  readonly known?: { readonly account: number; readonly by: string };
}

/** Connections beyond the bound that are read for health checks alone. */
const RESERVE = 32;
/** The slowest that bodies may arrive. */
const RATE = { bytesPerSecond: 1_024, graceMs: 5_000 } as const;
/** Parts of the budget that one holder gets at most. */
const SHARES = { account: 1 / 4, session: 1 / 8, anybody: 1 / 4, address: 1 / 16 } as const;

/** Bounds what clients hold of the console's memory: connections, and bodies while they are read and used. */
export class RequestBounds {
  readonly #connections: ConnectionLimits;
  readonly #budget: SharedBudget;

  constructor({ connectionsMax: max, connectionsPerAddress: perNetwork, bodiesBytesMax }: RequestBoundsOptions) {
    this.#connections = new ConnectionLimits({ max, perNetwork, reserve: RESERVE });
    this.#budget = new SharedBudget(bodiesBytesMax);
  }

  watch(server: Server): void {
    this.#connections.watch(server);
  }

  /** True where there was no room for the connection: it gets health checks answered and nothing else. */
  isBeyond(request: IncomingMessage): boolean {
    return this.#connections.isExtra(request);
  }

  /**
   * Says that a request is one of an account: no newcomer takes the place of its connection.
   * @throws ServiceError `rate_limit_exceeded` where the account has its share of connections with a request
   */
  hold(request: IncomingMessage, response: ServerResponse, account: number): void {
    if (!this.#connections.hold(request, response, account)) throw tooManyRequests();
  }

  /**
   * Reads a body, which keeps its part of the budget until it is released.
   * @throws ServiceError `request_too_large`, `overloaded`, `request_timeout`, `cancelled`
   */
  read(request: IncomingMessage, bytesMax: number, from: BodySender): Promise<HeldBody> {
    return readHeldBody(request, { bytesMax, budget: this.#budget, shares: this.#sharesOf(from), rate: RATE });
  }

  /** The same on the account of who is signed in, or of the client's address. The gate releases it with the response. */
  async readOf(request: FastifyRequest, bytesMax: number): Promise<HeldBody> {
    const { signedIn, line, raw } = request;
    const known = signedIn && { account: signedIn.account, by: `session ${signedIn.session}` };
    const held = await this.read(raw, bytesMax, { address: line?.address ?? '', ...(known && { known }) });
    if (raw.destroyed) held.release();
    request.held = held;
    return held;
  }

  #sharesOf({ address, known }: BodySender): BudgetShare[] {
    const part = (holder: string, share: number): BudgetShare => ({ holder, max: Math.floor(this.#budget.bytes * share) });
    if (!known) return [part('anybody', SHARES.anybody), part(`address ${networkOf(address)}`, SHARES.address)];
    return [part(`account ${known.account}`, SHARES.account), part(known.by, SHARES.session)];
  }
}

const tooManyRequests = (): ServiceError =>
  new ServiceError('rate_limit_exceeded', 'This account has as many requests open here as it may have; try again soon.', {
    retryAfterS: 2,
  });
