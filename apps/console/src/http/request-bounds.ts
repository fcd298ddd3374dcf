import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { ServiceError } from '@slipway/contracts';
import { type BudgetShare, ConnectionLimits, type HeldBody, networkOf, readHeldBody, SharedBudget } from '@slipway/platform';
import type { FastifyRequest } from 'fastify';
import type { SignedIn } from '../sessions/access-tokens.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The signed-in person; absent on public routes. */
    signedIn?: SignedIn;
    /** The body and its share of the budget, which is released when the response ends. */
    held?: HeldBody;
  }
}

/** Bounds on connections and request bodies. */
export interface RequestBoundsOptions {
  readonly connectionsMax: number;
  /** Most connections of one client address, or of one IPv6 /64 network. */
  readonly connectionsPerAddress: number;
  /** Most memory of all bodies together, in bytes. */
  readonly bodiesBytesMax: number;
}

/** The sender of a body. */
export interface BodySender {
  /** Address of the client. */
  readonly address: string;
  /** Absent for unauthenticated senders. `by`: the session or key that authenticated them. */
  readonly known?: { readonly account: number; readonly by: string };
}

/** Connections above the bound that are accepted for health checks only. */
const RESERVE = 32;
/** Slowest allowed transfer of a body. */
const RATE = { bytesPerSecond: 1_024, graceMs: 5_000 } as const;
/** Largest share of the budget of one account, session, client address, and of all unauthenticated senders. */
const SHARES = { account: 1 / 4, session: 1 / 8, anonymous: 1 / 4, address: 1 / 16 } as const;

/** Bounds the connections and the body memory that clients take of the console. */
export class RequestBounds {
  readonly #connections: ConnectionLimits;
  readonly #budget: SharedBudget;

  constructor({ connectionsMax: max, connectionsPerAddress: perNetwork, bodiesBytesMax }: RequestBoundsOptions) {
    this.#connections = new ConnectionLimits({ max, perNetwork, reserve: RESERVE });
    this.#budget = new SharedBudget(bodiesBytesMax);
  }

  /** Counts the connections of a server. */
  watch(server: Server): void {
    this.#connections.watch(server);
  }

  /** True for a connection above the bound, on which only health checks are answered. */
  isBeyond(request: IncomingMessage): boolean {
    return this.#connections.isExtra(request);
  }

  /**
   * Assigns a request to an account, so that new connections do not replace its connection.
   * @throws ServiceError `rate_limit_exceeded` when the account has reached its share of connections
   */
  hold(request: IncomingMessage, response: ServerResponse, account: number): void {
    if (!this.#connections.hold(request, response, account)) throw tooManyRequests();
  }

  /**
   * Reads a body. It takes its share of the budget until it is released.
   * @throws ServiceError `request_too_large`, `overloaded`, `request_timeout`, `cancelled`
   */
  read(request: IncomingMessage, bytesMax: number, from: BodySender): Promise<HeldBody> {
    return readHeldBody(request, { bytesMax, budget: this.#budget, shares: this.#sharesOf(from), rate: RATE });
  }

  /** Reads a body on behalf of the signed-in person, else of the client's address. The gate releases it with the response. */
  async readOf(request: FastifyRequest, bytesMax: number): Promise<HeldBody> {
    const { signedIn, line, raw } = request;
    const known = signedIn && { account: signedIn.account, by: `session ${signedIn.session}` };
    const held = await this.read(raw, bytesMax, { address: line?.fields.address ?? '', ...(known && { known }) });
    if (raw.destroyed) held.release();
    request.held = held;
    return held;
  }

  #sharesOf({ address, known }: BodySender): BudgetShare[] {
    const part = (owner: string, share: number): BudgetShare => ({ owner, max: Math.floor(this.#budget.bytes * share) });
    if (!known) return [part('anonymous', SHARES.anonymous), part(`address ${networkOf(address)}`, SHARES.address)];
    return [part(`account ${known.account}`, SHARES.account), part(known.by, SHARES.session)];
  }
}

const tooManyRequests = (): ServiceError =>
  new ServiceError('rate_limit_exceeded', 'This account has reached its number of open requests here; try again soon.', {
    retryAfterS: 2,
  });
