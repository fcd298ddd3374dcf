import { Module } from '@nestjs/common';
import {
  type AccountId,
  type Incarnation,
  KeyFeed,
  type KeyFeedRecord,
  type KeyId,
  LIMIT_HOLDERS_MAX,
  type Limits,
  LimitUse,
  QueryBudgets,
  RecallLimitUse,
  subjectOf,
} from '@slipway/contracts';
import { type FeedReader, readerOf } from '@slipway/feed';
import {
  CONFIG,
  eachSecond,
  LOG,
  type Logger,
  NATS,
  type NatsConnection,
  RpcClient,
  type ServiceConfig,
  type Subscription,
} from '@slipway/platform';
import { KeyIndex } from '../auth/key-index.js';
import { GATEWAY_ID } from '../tokens.js';
import type { LimitOwner, LimitState, ReportedUse } from './limit-state.js';
import { RateLimiter } from './rate-limiter.js';

/** Least time between two messages, however much is used, in milliseconds. */
const PUBLISH_GAP_MS = 20;
/** Budgets in use are queried each second, all others each minute; in milliseconds. */
const HALF_SECOND_MS = 500;
const MINUTE_MS = 60_000;
/** Longest wait for the use from before the start, in milliseconds. */
const RESTORE_MS = 3_000;
const RESTORE_RETRY_MS = 200;
/** Most own requests in one budget query. */
const REQUESTS_MAX = 4 * LIMIT_HOLDERS_MAX;

export interface LimitSyncOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  readonly gw: Incarnation;
  readonly log: Pick<Logger, 'warn'>;
  readonly limiter: RateLimiter;
  readonly keys: Pick<KeyIndex, 'key' | 'account' | 'budgeted' | 'whenBudgetIsSet'>;
  /** The key feed has been loaded. */
  readonly isLoaded: () => boolean;
}

/** Shares the use of limits between gateways, and loads budgets and earlier use from keys-service. */
export class LimitSync {
  readonly #rpc: RpcClient;
  readonly #subject: string;
  readonly #startedAt = Date.now();
  #subscription: Subscription | undefined;
  #endSeconds: (() => void) | undefined;
  #soon: NodeJS.Timeout | undefined;
  #publishedAt = Number.NEGATIVE_INFINITY;
  #isQuerying = false;
  #isFailing = false;

  constructor(private readonly options: LimitSyncOptions) {
    const { nats, env } = options;
    this.#rpc = new RpcClient(nats, env);
    this.#subject = subjectOf(LimitUse, { env });
  }

  start(): void {
    const { limiter, keys } = this.options;
    limiter.listen({ publishSoon: this.publishSoon, budgetUnknown: () => void this.queryBudgets() });
    // A new budget is queried at once, so that its first request need not be sent again.
    keys.whenBudgetIsSet(() => void this.queryBudgets());
    this.#subscription = this.options.nats.subscribe(this.#subject, {
      callback: (error, msg) => {
        if (!error) this.#receive(msg.string());
      },
    });
    this.#endSeconds = eachSecond(() => {
      this.#publish();
      this.options.limiter.sweep();
      void this.queryBudgets();
    });
    void this.#restore();
  }

  /** Publishes the use a last time and stops. */
  stop(): void {
    this.#endSeconds?.();
    clearTimeout(this.#soon);
    this.#endSeconds = undefined;
    if (this.options.nats.isClosed()) return;
    this.#publish();
    this.#subscription?.unsubscribe();
  }

  /** Publishes as soon as the least time between two messages allows. */
  readonly publishSoon = (): void => {
    if (this.#soon || !this.#endSeconds) return;
    const wait = Math.max(0, this.#publishedAt + PUBLISH_GAP_MS - performance.now());
    this.#soon = setTimeout(() => {
      this.#soon = undefined;
      this.#publish();
    }, wait);
  };

  #publish(): void {
    const now = performance.now();
    this.#publishedAt = now;
    const { nats, gw, limiter } = this.options;
    if (nats.isClosed()) return;
    const holders: ReportedUse[] = [];
    for (const state of limiter.states()) {
      const use = state.report(now);
      if (use) holders.push(use);
    }
    for (let i = 0; i < holders.length; i += LIMIT_HOLDERS_MAX) {
      nats.publish(this.#subject, JSON.stringify({ gw, holders: holders.slice(i, i + LIMIT_HOLDERS_MAX) }));
    }
  }

  #receive(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    const { data } = LimitUse.message.safeParse(message);
    if (!data || data.gw === this.options.gw) return;
    const now = performance.now();
    const freshFrom = Math.max(this.#startedAt, Date.now() - MINUTE_MS);
    for (const use of data.holders) {
      const state = this.options.limiter.stateOf(use.kind, use.id, this.#limitsOf(use.kind, use.id));
      state?.mergePeerUse(data.gw, use, use.entry > freshFrom, now);
    }
  }

  #limitsOf(kind: LimitOwner, id: number): Limits | undefined {
    const { keys } = this.options;
    return (kind === 'key' ? keys.key(id as KeyId) : keys.account(id as AccountId))?.limits;
  }

  /** Retries until keys-service replies, for 3 s at most: requests of limited keys are refused meanwhile. */
  async #restore(): Promise<void> {
    const { limiter, gw, log } = this.options;
    const end = performance.now() + RESTORE_MS;
    while (!limiter.isRestored) {
      try {
        const { holders } = await this.#rpc.call(RecallLimitUse, { gw });
        for (const { kind, id, requests_taken: requests, tokens_taken: tokens, age_ms: ageMs } of holders) {
          limiter.restore(kind, id, { requests, tokens, ageMs });
        }
        limiter.isRestored = true;
      } catch (error) {
        if (!this.#endSeconds) return;
        limiter.isRestored = performance.now() > end;
        if (limiter.isRestored) log.warn({ reason: reasonOf(error) }, 'limits.not_recalled');
        else await new Promise((resolve) => setTimeout(resolve, RESTORE_RETRY_MS));
      }
    }
  }

  /** Queries budgets that are in use every second, and all others every minute. */
  async queryBudgets(): Promise<void> {
    if (this.#isQuerying || !this.options.isLoaded()) return;
    this.#isQuerying = true;
    try {
      for (let due = this.#due(); due.length > 0; due = this.#due()) await this.#applyBudgets(due);
    } catch (error) {
      // The last known totals stay, and own requests are added to them.
      if (!this.#isFailing) this.options.log.warn({ reason: reasonOf(error) }, 'limits.budgets_unknown');
      this.#isFailing = true;
    } finally {
      this.#isQuerying = false;
    }
  }

  #due(): LimitState[] {
    const now = performance.now();
    const due: LimitState[] = [];
    for (const { type, id, limits } of this.options.keys.budgeted()) {
      const state = this.options.limiter.stateOf(type, id, limits);
      if (!state) continue;
      const isInUse = !state.budget.isIdle || now - state.changedAt < MINUTE_MS;
      if (now - state.queriedAt >= (isInUse ? HALF_SECOND_MS : MINUTE_MS)) due.push(state);
      if (due.length === LIMIT_HOLDERS_MAX) break;
    }
    return due;
  }

  async #applyBudgets(states: readonly LimitState[]): Promise<void> {
    const idsOf = (kind: LimitOwner): number[] => states.filter((state) => state.kind === kind).map(({ id }) => id);
    const queriedAt = performance.now();
    const requests = [...new Set(states.flatMap(({ budget }) => [...budget.openRequests()]))].slice(0, REQUESTS_MAX);
    const query = { keys: idsOf('key'), accounts: idsOf('account'), requests };
    const reply = await this.#rpc.call(QueryBudgets, query);
    this.#isFailing = false;
    const counted = new Map(reply.requests.map(({ st, ...rest }): [string, typeof rest] => [st, rest]));
    const totals = { key: new Map(reply.keys.map((one) => [one.id, one])), account: new Map(reply.accounts.map((one) => [one.id, one])) };
    for (const state of states) {
      state.queriedAt = queriedAt;
      const total = totals[state.kind].get(state.id);
      // A key or account that the reply leaves out keeps its last totals, and does not delay the others.
      if (total) state.applyTotals({ day: reply.day, dayTokens: total.day, monthTokens: total.month, counted });
    }
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

type SyncParts = [NatsConnection, ServiceConfig, Incarnation, Logger, RateLimiter, KeyIndex, FeedReader<KeyFeedRecord>];

const syncOf = (...[nats, { SLIPWAY_ENV: env }, gw, log, limiter, keys, feed]: SyncParts): LimitSync =>
  new LimitSync({ nats, env, gw, log, limiter, keys, isLoaded: () => feed.place !== null });

/** Rate limits and budgets of keys and accounts, over all gateways. */
@Module({
  providers: [
    { provide: RateLimiter, useFactory: () => new RateLimiter({ now: () => performance.now(), date: () => Date.now() }) },
    { provide: LimitSync, useFactory: syncOf, inject: [NATS, CONFIG, GATEWAY_ID, LOG, RateLimiter, KeyIndex, readerOf(KeyFeed)] },
  ],
  exports: [RateLimiter],
})
export class LimitsModule {}
