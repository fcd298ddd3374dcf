import type { Limits, LimitUse } from '@slipway/contracts';
import { type BudgetTotals, BudgetUse } from './budget-use.js';
import { LeakyBucket } from './leaky-bucket.js';

export type HolderKind = 'key' | 'account';
export type HolderUse = LimitUse['holders'][number];

/** A gateway that was silent for this long has no requests any more, in milliseconds. */
const PEER_GONE_MS = 3_500;
/** What changed is told for this long, so that the loss of a message does not matter, in milliseconds. */
const TOLD_MS = 5_000;
/** Share of an allowance that is told each second for as long as it is taken. */
const MUCH = 0.1;
const UNLIMITED = Number.POSITIVE_INFINITY;

/** An amount that a message can hold. */
const tellable = (amount: number): number => Math.max(-Number.MAX_SAFE_INTEGER, Math.min(amount, Number.MAX_SAFE_INTEGER));

/** Why a request is refused. */
export interface Refusal {
  readonly of: 'requests' | 'tokens' | 'concurrent' | 'day' | 'month';
  readonly limit: number;
  readonly waitMs: number;
}

interface Peer {
  entry: number;
  requests: number;
  tokens: number;
  running: number;
  heardAt: number;
}

/** Use of one key or account against its limits: here, and as far as other gateways have told. */
export class Holder {
  readonly requests = new LeakyBucket(UNLIMITED);
  readonly tokens = new LeakyBucket(UNLIMITED);
  readonly budget = new BudgetUse();
  running = 0;
  changedAt: number;
  /** When the ledger was last asked for its budget. */
  askedAt = Number.NEGATIVE_INFINITY;
  readonly #peers = new Map<string, Peer>();
  #limits: Limits = {};
  #requests = 0;
  #tokens = 0;
  #toldRequests = 0;
  #toldTokens = 0;

  /** @param entry when its sums began at 0, milliseconds since the epoch. */
  constructor(
    readonly kind: HolderKind,
    readonly id: number,
    private readonly entry: number,
    now: number,
  ) {
    this.changedAt = now;
  }

  get limits(): Limits {
    return this.#limits;
  }

  /** Takes limits over as the feed tells them. */
  follow(limits: Limits, now: number): void {
    if (limits === this.#limits) return;
    this.#limits = limits;
    this.requests.resize(limits.requests_per_minute ?? UNLIMITED, now);
    this.tokens.resize(limits.tokens_per_minute ?? UNLIMITED, now);
  }

  get hasBudget(): boolean {
    return this.#limits.tokens_per_day !== undefined || this.#limits.tokens_per_month !== undefined;
  }

  /** Null when one more request may go on now, whatever its size. */
  refusal(now: number): Refusal | null {
    const { concurrent_requests: concurrent } = this.#limits;
    if (concurrent !== undefined && this.#allRunning(now) >= concurrent) return { of: 'concurrent', limit: concurrent, waitMs: 1_000 };
    const requestWait = this.requests.waitFor(1, now);
    return requestWait > 0 ? { of: 'requests', limit: this.requests.limit, waitMs: requestWait } : null;
  }

  /** Null when this many tokens may be set aside now. @param date milliseconds since the epoch */
  tokenRefusal(tokens: number, now: number, date: number): Refusal | null {
    const { tokens_per_day: day, tokens_per_month: month } = this.#limits;
    const tokenWait = this.tokens.waitFor(tokens, now);
    if (tokenWait > 0) return { of: 'tokens', limit: this.tokens.limit, waitMs: tokenWait };
    const { day: usedDay, month: usedMonth } = this.budget.used(date);
    if (day !== undefined && usedDay + Math.min(tokens, day) > day) return { of: 'day', limit: day, waitMs: UNLIMITED };
    if (month !== undefined && usedMonth + Math.min(tokens, month) > month) return { of: 'month', limit: month, waitMs: UNLIMITED };
    return null;
  }

  /** A request goes on: sets its tokens aside. */
  take(requests: number, tokens: number, now: number): void {
    this.requests.add(requests, now);
    this.tokens.add(tokens, now);
    this.#requests += requests;
    this.#tokens += tokens;
    this.changedAt = now;
  }

  /** Share of an allowance that was taken here and not told to others yet. */
  untold(): number {
    const ofRequests = (this.#requests - this.#toldRequests) / this.requests.limit;
    return Math.max(ofRequests, (this.#tokens - this.#toldTokens) / this.tokens.limit);
  }

  /**
   * Another gateway told its sums.
   * @param isFresh its run of them began after this gateway started, and less than a minute ago: none of it is known here.
   */
  heard(gw: string, use: HolderUse, isFresh: boolean, now: number): void {
    const known = this.#peers.get(gw);
    const base = known?.entry === use.entry ? known : undefined;
    if (base || isFresh) {
      this.requests.add(use.requests - (base?.requests ?? 0), now);
      this.tokens.add(use.tokens - (base?.tokens ?? 0), now);
    } else {
      this.requests.raise(use.requests_taken, now);
      this.tokens.raise(use.tokens_taken, now);
    }
    this.#peers.set(gw, { entry: use.entry, requests: use.requests, tokens: use.tokens, running: use.running, heardAt: now });
  }

  /** What was taken before this gateway started. */
  recall(requests: number, tokens: number, now: number): void {
    this.requests.add(requests, now);
    this.tokens.add(tokens, now);
  }

  totals(totals: BudgetTotals): void {
    this.budget.counted(totals);
  }

  /** What others should know; null when there is nothing new and little taken. */
  tell(now: number): HolderUse | null {
    const [requestsTaken, tokensTaken] = [this.requests.taken(now), this.tokens.taken(now)];
    const much = requestsTaken >= MUCH * this.requests.limit || tokensTaken >= MUCH * this.tokens.limit;
    if (!much && this.running === 0 && now - this.changedAt > TOLD_MS) return null;
    this.#toldRequests = this.#requests;
    this.#toldTokens = this.#tokens;
    return {
      kind: this.kind,
      id: this.id,
      entry: this.entry,
      requests: tellable(this.#requests),
      tokens: tellable(this.#tokens),
      running: this.running,
      requests_taken: tellable(requestsTaken),
      tokens_taken: tellable(tokensTaken),
    };
  }

  /** Nothing of it would be missed. */
  isIdle(now: number): boolean {
    return (
      !this.hasBudget &&
      this.running === 0 &&
      this.requests.taken(now) === 0 &&
      this.tokens.taken(now) === 0 &&
      now - this.changedAt > 2 * TOLD_MS
    );
  }

  #allRunning(now: number): number {
    let all = this.running;
    for (const [gw, { running, heardAt }] of this.#peers) {
      if (now - heardAt <= PEER_GONE_MS) all += running;
      else if (now - heardAt > 60_000) this.#peers.delete(gw);
    }
    return all;
  }
}
