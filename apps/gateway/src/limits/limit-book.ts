import type { ServerResponse } from 'node:http';
import { type Limits, ServiceError } from '@slipway/contracts';
import type { Caller } from '../auth/caller.js';
import { Holder, type HolderKind, type Refusal } from './holder.js';
import { limitHeaders } from './limit-headers.js';

const MINUTE_MS = 60_000;
/** Longest that a client is told to wait, in milliseconds; clients ignore more. */
const WAIT_MS_MAX = 30_000;

/** A request that goes on, as far as limits are concerned. */
export interface Charge {
  /** Headers for the response. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The request is over, and used this many tokens. Once. */
  settle(tokens: number): void;
}

/** What a request asks for, once its body is known. */
export interface Wish {
  /** Name of the request, as the ledger will know it. */
  readonly request: string;
  /** Tokens to set aside; 0 for a request that generates nothing. */
  readonly tokens: number;
  readonly isGeneration: boolean;
}

/** A request that was counted and runs, before anything is known of its body. */
export interface Entrance {
  /** Sets aside what it asks for; a refused one counts for nothing. Once. @throws LimitExceeded */
  admit(wish: Wish): Charge;
  /** It is over before it was admitted; afterwards this does nothing. */
  leave(): void;
}

const NO_CHARGE: Charge = Object.freeze({ headers: [], settle: () => undefined });
/** Of callers without limits. */
export const FREE_ENTRANCE: Entrance = Object.freeze({ admit: () => NO_CHARGE, leave: () => undefined });

/** A refusal with the headers that go with it. */
export class LimitExceeded extends ServiceError {
  constructor(
    refusal: Refusal,
    readonly holder: Holder,
    readonly headers: Charge['headers'],
  ) {
    super('rate_limit_exceeded', wording(refusal, holder), {
      retryAfterS: Math.ceil(Math.min(WAIT_MS_MAX, refusal.waitMs) / 1_000),
      facts: { limited: refusal.of === 'requests' || refusal.of === 'concurrent' ? 'requests' : 'tokens' },
    });
  }
}

/** Puts what limits say into the headers of a response that is to come. */
export function noteHeaders(response: Pick<ServerResponse, 'setHeader'>, headers: Charge['headers']): void {
  for (const [name, value] of headers) response.setHeader(name, value);
}

const WHAT: Record<Refusal['of'], string> = {
  requests: 'requests per minute',
  tokens: 'tokens per minute',
  concurrent: 'requests at once',
  day: 'tokens per day (UTC)',
  month: 'tokens per month (UTC)',
};

function wording({ of, limit }: Refusal, { kind }: Holder): string {
  const who = kind === 'key' ? 'This API key' : 'This account';
  const then =
    of === 'day' || of === 'month'
      ? `It is used up until the next ${of}, counting what running requests may still need.`
      : 'Try again soon.';
  return `${who} is limited to ${limit} ${WHAT[of]}. ${then}`;
}

export interface LimitBookOptions {
  /** Of this process, in milliseconds. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly date: () => number;
}

/** What the other gateways and keys-service should be asked or told at once. */
export interface LimitListener {
  /** Much was taken that others do not know of yet. */
  readonly urgent: () => void;
  /** A budget is asked for of which nothing is known yet. */
  readonly unknown: () => void;
}

/** Share of an allowance after which other gateways are told at once. */
const URGENT = 0.02;

/** All holders of limits that are in use at this gateway. Everything is decided in memory. */
export class LimitBook {
  readonly #holders = new Map<string, Holder>();
  readonly #recalled = new Map<string, { requests: number; tokens: number; at: number }>();

  #listener: LimitListener = { urgent: () => undefined, unknown: () => undefined };

  constructor(private readonly options: LimitBookOptions) {}

  listen(listener: LimitListener): void {
    this.#listener = listener;
  }

  /** What was taken before this gateway started is known. */
  isRecalled = false;

  /**
   * Counts a request before its body is read: a refusal costs nothing.
   * @throws LimitExceeded; ServiceError `auth_unavailable` for a moment after the start, or after a budget was set
   */
  enter({ account, key }: Caller): Entrance {
    if (!account.limits && !key.limits) return FREE_ENTRANCE;
    const now = this.options.now();
    const holders: Holder[] = [];
    if (account.limits) holders.push(this.#holder('account', account.id, account.limits, now));
    if (key.limits) holders.push(this.#holder('key', key.id, key.limits, now));
    for (const holder of holders) this.#requireKnown(holder);
    const refusal = firstRefusal(holders, (holder) => holder.refusal(now) ?? holder.tokenRefusal(0, now, this.options.date()));
    if (refusal) throw new LimitExceeded(refusal.refusal, refusal.holder, limitHeaders(holders, now));
    for (const holder of holders) {
      holder.take(1, 0, now);
      holder.running += 1;
      if (holder.untold() >= URGENT) this.#listener.urgent();
    }
    return this.#entrance(holders);
  }

  #requireKnown({ hasBudget, budget }: Holder): void {
    const isUnknown = hasBudget && !budget.isKnown;
    if (isUnknown) this.#listener.unknown();
    if (isUnknown || !this.isRecalled) throw notKnownYet();
  }

  *holders(): Iterable<Holder> {
    yield* this.#holders.values();
  }

  find(kind: HolderKind, id: number): Holder | undefined {
    return this.#holders.get(`${kind}:${id}`);
  }

  /** The holder as it is known here, made where another gateway is the first to speak of it. */
  seen(kind: HolderKind, id: number, limits: Limits | undefined): Holder | undefined {
    return limits && this.#holder(kind, id, limits, this.options.now());
  }

  /** What was taken before this gateway started; it counts once the holder is in use here. */
  recall(kind: HolderKind, id: number, use: { readonly requests: number; readonly tokens: number; readonly ageMs: number }): void {
    this.#recalled.set(`${kind}:${id}`, { requests: use.requests, tokens: use.tokens, at: this.options.now() - use.ageMs });
    const holder = this.find(kind, id);
    if (holder) this.#remember(holder);
  }

  /** Forgets holders that are not in use. */
  sweep(): void {
    const now = this.options.now();
    for (const [name, holder] of this.#holders) if (holder.isIdle(now)) this.#holders.delete(name);
    for (const [name, { at }] of this.#recalled) if (now - at > MINUTE_MS) this.#recalled.delete(name);
  }

  #holder(kind: HolderKind, id: number, limits: Limits, now: number): Holder {
    const name = `${kind}:${id}`;
    let holder = this.#holders.get(name);
    if (!holder) {
      holder = new Holder(kind, id, this.options.date(), now);
      this.#holders.set(name, holder);
      holder.follow(limits, now);
      this.#remember(holder);
    } else holder.follow(limits, now);
    return holder;
  }

  #remember(holder: Holder): void {
    const name = `${holder.kind}:${holder.id}`;
    const recalled = this.#recalled.get(name);
    if (!recalled) return;
    this.#recalled.delete(name);
    const now = this.options.now();
    const gone = Math.min(1, (now - recalled.at) / MINUTE_MS);
    const drained = (taken: number, limit: number): number => (Number.isFinite(limit) ? Math.max(0, taken - gone * limit) : 0);
    holder.recall(drained(recalled.requests, holder.requests.limit), drained(recalled.tokens, holder.tokens.limit), now);
  }

  #entrance(holders: readonly Holder[]): Entrance {
    let isInside = true;
    const leave = (): void => {
      if (!isInside) return;
      isInside = false;
      for (const holder of holders) holder.running -= 1;
    };
    const admit = (wish: Wish): Charge => {
      const now = this.options.now();
      const refusal = firstRefusal(holders, (holder) => holder.tokenRefusal(wish.tokens, now, this.options.date()));
      if (refusal) {
        for (const holder of holders) holder.take(-1, 0, now);
        leave();
        throw new LimitExceeded(refusal.refusal, refusal.holder, limitHeaders(holders, now));
      }
      if (!wish.isGeneration) leave();
      // What runs from here on is over when its charge is settled.
      isInside = false;
      return this.#charge(holders, wish, now);
    };
    return { admit, leave };
  }

  #charge(holders: readonly Holder[], { request, tokens, isGeneration }: Wish, now: number): Charge {
    for (const holder of holders) {
      holder.take(0, tokens, now);
      if (isGeneration && holder.hasBudget) holder.budget.begin(request, tokens);
      if (holder.untold() >= URGENT) this.#listener.urgent();
    }
    let isOpen = true;
    const settle = (used: number): void => {
      if (!isOpen) return;
      isOpen = false;
      const end = this.options.now();
      for (const holder of holders) {
        holder.take(0, used - tokens, end);
        if (isGeneration) holder.running -= 1;
        holder.budget.end(request, used);
      }
    };
    return { headers: limitHeaders(holders, now), settle };
  }
}

function firstRefusal(
  holders: readonly Holder[],
  refusalOf: (holder: Holder) => Refusal | null,
): { readonly refusal: Refusal; readonly holder: Holder } | null {
  for (const holder of holders) {
    const refusal = refusalOf(holder);
    if (refusal) return { refusal, holder };
  }
  return null;
}

const notKnownYet = (): ServiceError =>
  new ServiceError('auth_unavailable', 'The limits of this API key cannot be checked right now; try again soon.', { retryAfterS: 1 });
