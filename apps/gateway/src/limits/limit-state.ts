import type { Limits, LimitUse } from '@slipway/contracts';
import { type BudgetTotals, BudgetUse } from './budget-use.js';

const MINUTE_MS = 60_000;

/** A leaky bucket: holds one minute's allowance and drains by one allowance per minute, so bursts up to the limit pass. */
class LeakyBucket {
  #taken = 0;
  #at = 0;

  constructor(private allowance: number) {}

  get limit(): number {
    return this.allowance;
  }

  /** Changes the limit. What is taken stays taken. */
  resize(allowance: number, now: number): void {
    this.#drain(now);
    this.allowance = allowance;
  }

  /** The level now. It can exceed the limit: other gateways take at the same time, and requests may use more than reserved. */
  taken(now: number): number {
    this.#drain(now);
    return this.#taken;
  }

  /** Milliseconds until this amount fits; 0 = now. An amount above the limit fits into an empty bucket. */
  waitFor(amount: number, now: number): number {
    const excess = this.taken(now) + Math.min(amount, this.allowance) - this.allowance;
    return excess <= 0 ? 0 : (excess / this.allowance) * MINUTE_MS;
  }

  /** Milliseconds until the bucket is empty. */
  emptyIn(now: number): number {
    return (this.taken(now) / this.allowance) * MINUTE_MS;
  }

  /** Adds to the level. Negative amounts give back, at most what is taken. */
  add(amount: number, now: number): void {
    this.#drain(now);
    if (Number.isFinite(this.allowance)) this.#taken = Math.max(0, this.#taken + amount);
  }

  /** Raises the level to at least this amount. */
  raise(taken: number, now: number): void {
    this.#drain(now);
    if (Number.isFinite(this.allowance)) this.#taken = Math.max(this.#taken, taken);
  }

  #drain(now: number): void {
    if (now > this.#at) this.#taken = Math.max(0, this.#taken - ((now - this.#at) / MINUTE_MS) * this.allowance);
    this.#at = Math.max(this.#at, now);
  }
}

export type LimitOwner = 'key' | 'account';
/** The use of one key or account, as gateways report it to each other. */
export type ReportedUse = LimitUse['holders'][number];

/** After this much silence, a gateway's requests no longer count as running, in milliseconds. */
const PEER_TIMEOUT_MS = 3_500;
/** A change is reported for this long, so that a lost message does no harm, in milliseconds. */
const REPEAT_MS = 5_000;
/** Use above this share of a limit is reported every second. */
const HIGH_USE_SHARE = 0.1;
const UNLIMITED = Number.POSITIVE_INFINITY;

/** Fits an amount into the range of a message. */
const toWireAmount = (amount: number): number => Math.max(-Number.MAX_SAFE_INTEGER, Math.min(amount, Number.MAX_SAFE_INTEGER));

/** The limit that a request exceeds. */
export interface LimitViolation {
  readonly of: 'requests' | 'tokens' | 'concurrent' | 'day' | 'month';
  readonly limit: number;
  /** Time until the request would fit, in milliseconds. */
  readonly waitMs: number;
}

interface Peer {
  entry: number;
  requests: number;
  tokens: number;
  running: number;
  receivedAt: number;
}

/** Use of one key or account against its limits: by this gateway, and by others as far as they have reported it. */
export class LimitState {
  readonly requests = new LeakyBucket(UNLIMITED);
  readonly tokens = new LeakyBucket(UNLIMITED);
  readonly budget = new BudgetUse();
  running = 0;
  changedAt: number;
  /** When the ledger was last asked for the budget. */
  queriedAt = Number.NEGATIVE_INFINITY;
  readonly #peers = new Map<string, Peer>();
  #limits: Limits = {};
  #requests = 0;
  #tokens = 0;
  #reportedRequests = 0;
  #reportedTokens = 0;

  /** @param entry when its sums began at 0, milliseconds since the epoch. */
  constructor(
    readonly kind: LimitOwner,
    readonly id: number,
    private readonly entry: number,
    now: number,
  ) {
    this.changedAt = now;
  }

  get limits(): Limits {
    return this.#limits;
  }

  applyLimits(limits: Limits, now: number): void {
    if (limits === this.#limits) return;
    this.#limits = limits;
    this.requests.resize(limits.requests_per_minute ?? UNLIMITED, now);
    this.tokens.resize(limits.tokens_per_minute ?? UNLIMITED, now);
  }

  get hasBudget(): boolean {
    return this.#limits.tokens_per_day !== undefined || this.#limits.tokens_per_month !== undefined;
  }

  /** The request limit that one more request would exceed now, or null. */
  violation(now: number): LimitViolation | null {
    const { concurrent_requests: concurrent } = this.#limits;
    if (concurrent !== undefined && this.#allRunning(now) >= concurrent) return { of: 'concurrent', limit: concurrent, waitMs: 1_000 };
    const requestWait = this.requests.waitFor(1, now);
    return requestWait > 0 ? { of: 'requests', limit: this.requests.limit, waitMs: requestWait } : null;
  }

  /** The token limit or budget that this many tokens would exceed now, or null. @param date milliseconds since the epoch */
  tokenViolation(tokens: number, now: number, date: number): LimitViolation | null {
    const { tokens_per_day: day, tokens_per_month: month } = this.#limits;
    const tokenWait = this.tokens.waitFor(tokens, now);
    if (tokenWait > 0) return { of: 'tokens', limit: this.tokens.limit, waitMs: tokenWait };
    const { day: usedDay, month: usedMonth } = this.budget.used(date);
    if (day !== undefined && usedDay + Math.min(tokens, day) > day) return { of: 'day', limit: day, waitMs: UNLIMITED };
    if (month !== undefined && usedMonth + Math.min(tokens, month) > month) return { of: 'month', limit: month, waitMs: UNLIMITED };
    return null;
  }

  /** Adds use by this gateway. Negative amounts give back. */
  consume(requests: number, tokens: number, now: number): void {
    this.requests.add(requests, now);
    this.tokens.add(tokens, now);
    this.#requests += requests;
    this.#tokens += tokens;
    this.changedAt = now;
  }

  /** Use by this gateway since its last report, as a share of the limit; the larger of requests and tokens. */
  unreported(): number {
    const ofRequests = (this.#requests - this.#reportedRequests) / this.requests.limit;
    return Math.max(ofRequests, (this.#tokens - this.#reportedTokens) / this.tokens.limit);
  }

  /**
   * Adds the use that another gateway reported.
   * @param isFresh its sums began less than a minute ago and after this gateway started, so none of them is counted here yet
   */
  mergePeerUse(gw: string, use: ReportedUse, isFresh: boolean, now: number): void {
    const known = this.#peers.get(gw);
    const base = known?.entry === use.entry ? known : undefined;
    if (base || isFresh) {
      this.requests.add(use.requests - (base?.requests ?? 0), now);
      this.tokens.add(use.tokens - (base?.tokens ?? 0), now);
    } else {
      this.requests.raise(use.requests_taken, now);
      this.tokens.raise(use.tokens_taken, now);
    }
    this.#peers.set(gw, { entry: use.entry, requests: use.requests, tokens: use.tokens, running: use.running, receivedAt: now });
  }

  /** Adds use from before this gateway's start. */
  restore(requests: number, tokens: number, now: number): void {
    this.requests.add(requests, now);
    this.tokens.add(tokens, now);
  }

  applyTotals(totals: BudgetTotals): void {
    this.budget.applyTotals(totals);
  }

  /** The report for other gateways; null where nothing changed lately and little is used. */
  report(now: number): ReportedUse | null {
    const [requestsTaken, tokensTaken] = [this.requests.taken(now), this.tokens.taken(now)];
    const isHigh = requestsTaken >= HIGH_USE_SHARE * this.requests.limit || tokensTaken >= HIGH_USE_SHARE * this.tokens.limit;
    if (!isHigh && this.running === 0 && now - this.changedAt > REPEAT_MS) return null;
    this.#reportedRequests = this.#requests;
    this.#reportedTokens = this.#tokens;
    return {
      kind: this.kind,
      id: this.id,
      entry: this.entry,
      requests: toWireAmount(this.#requests),
      tokens: toWireAmount(this.#tokens),
      running: this.running,
      requests_taken: toWireAmount(requestsTaken),
      tokens_taken: toWireAmount(tokensTaken),
    };
  }

  /** True when removing this state loses nothing. */
  isIdle(now: number): boolean {
    return (
      !this.hasBudget &&
      this.running === 0 &&
      this.requests.taken(now) === 0 &&
      this.tokens.taken(now) === 0 &&
      now - this.changedAt > 2 * REPEAT_MS
    );
  }

  #allRunning(now: number): number {
    let all = this.running;
    for (const [gw, { running, receivedAt }] of this.#peers) {
      if (now - receivedAt <= PEER_TIMEOUT_MS) all += running;
      else if (now - receivedAt > 60_000) this.#peers.delete(gw);
    }
    return all;
  }
}
