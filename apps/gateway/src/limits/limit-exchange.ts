import {
  type AccountId,
  type Incarnation,
  type KeyId,
  LIMIT_HOLDERS_MAX,
  type Limits,
  LimitUse,
  QueryBudgets,
  RecallLimitUse,
  subjectOf,
} from '@slipway/contracts';
import { type Logger, type NatsConnection, RpcClient, type Subscription } from '@slipway/platform';
import type { KeyIndex } from '../auth/key-index.js';
import type { Holder, HolderKind, HolderUse } from './holder.js';
import type { LimitBook } from './limit-book.js';

const TELL_MS = 1_000;
/** Two messages are at least this far apart, however much is taken, in milliseconds. */
const URGENT_MS = 20;
const MINUTE_MS = 60_000;
/** Longest wait for what was taken before the start, in milliseconds. */
const RECALL_MS = 3_000;
const RECALL_RETRY_MS = 200;
/** Own requests of one question. */
const REQUESTS_MAX = 4 * LIMIT_HOLDERS_MAX;

export interface LimitExchangeOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  readonly gw: Incarnation;
  readonly log: Pick<Logger, 'warn'>;
  readonly book: LimitBook;
  readonly keys: Pick<KeyIndex, 'key' | 'account' | 'budgeted' | 'whenBudgetIsSet'>;
  /** The key feed has been loaded. */
  readonly isLoaded: () => boolean;
}

/** Shares what was let through with the other gateways, and asks keys-service for what this one cannot know. */
export class LimitExchange {
  readonly #rpc: RpcClient;
  readonly #subject: string;
  readonly #startedAt = Date.now();
  #subscription: Subscription | undefined;
  #timer: NodeJS.Timeout | undefined;
  #urgent: NodeJS.Timeout | undefined;
  #toldAt = Number.NEGATIVE_INFINITY;
  #asking = false;
  #failing = false;

  constructor(private readonly options: LimitExchangeOptions) {
    const { nats, env } = options;
    this.#rpc = new RpcClient(nats, env);
    this.#subject = subjectOf(LimitUse, { env });
  }

  start(): void {
    const { book, keys } = this.options;
    book.listen({ urgent: this.urgent, unknown: () => void this.askBudgets() });
    // What is used of a new budget is asked for before the first request, which would be told to come again otherwise.
    keys.whenBudgetIsSet(() => void this.askBudgets());
    this.#subscription = this.options.nats.subscribe(this.#subject, {
      callback: (error, msg) => {
        if (!error) this.#heard(msg.string());
      },
    });
    this.#timer = setInterval(() => {
      this.#tell();
      this.options.book.sweep();
      void this.askBudgets();
    }, TELL_MS);
    void this.#recall();
  }

  /** Says a last time what was taken. */
  stop(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#urgent);
    this.#timer = undefined;
    if (this.options.nats.isClosed()) return;
    this.#tell();
    this.#subscription?.unsubscribe();
  }

  /** Tells others as soon as it may. */
  readonly urgent = (): void => {
    if (this.#urgent || !this.#timer) return;
    const wait = Math.max(0, this.#toldAt + URGENT_MS - performance.now());
    this.#urgent = setTimeout(() => {
      this.#urgent = undefined;
      this.#tell();
    }, wait);
  };

  #tell(): void {
    const now = performance.now();
    this.#toldAt = now;
    const { nats, gw, book } = this.options;
    if (nats.isClosed()) return;
    const holders: HolderUse[] = [];
    for (const holder of book.holders()) {
      const use = holder.tell(now);
      if (use) holders.push(use);
    }
    for (let i = 0; i < holders.length; i += LIMIT_HOLDERS_MAX) {
      nats.publish(this.#subject, JSON.stringify({ gw, holders: holders.slice(i, i + LIMIT_HOLDERS_MAX) }));
    }
  }

  #heard(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    const use = LimitUse.message.safeParse(message).data;
    if (!use || use.gw === this.options.gw) return;
    const now = performance.now();
    const freshFrom = Math.max(this.#startedAt, Date.now() - MINUTE_MS);
    for (const holder of use.holders) {
      const known = this.options.book.seen(holder.kind, holder.id, this.#limitsOf(holder.kind, holder.id));
      known?.heard(use.gw, holder, holder.entry > freshFrom, now);
    }
  }

  #limitsOf(kind: HolderKind, id: number): Limits | undefined {
    const { keys } = this.options;
    return (kind === 'key' ? keys.key(id as KeyId) : keys.account(id as AccountId))?.limits;
  }

  /** For as long as nobody answers, but no longer than a gateway may keep limited keys waiting. */
  async #recall(): Promise<void> {
    const { book, gw, log } = this.options;
    const end = performance.now() + RECALL_MS;
    while (!book.isRecalled) {
      try {
        const { holders } = await this.#rpc.call(RecallLimitUse, { gw });
        for (const { kind, id, requests_taken: requests, tokens_taken: tokens, age_ms: ageMs } of holders) {
          book.recall(kind, id, { requests, tokens, ageMs });
        }
        book.isRecalled = true;
      } catch (error) {
        if (!this.#timer) return;
        book.isRecalled = performance.now() > end;
        if (book.isRecalled) log.warn({ reason: reasonOf(error) }, 'limits.not_recalled');
        else await new Promise((resolve) => setTimeout(resolve, RECALL_RETRY_MS));
      }
    }
  }

  /** Asks for the budgets that are in use each second, for all others each minute. */
  async askBudgets(): Promise<void> {
    if (this.#asking || !this.options.isLoaded()) return;
    this.#asking = true;
    try {
      for (let due = this.#due(); due.length > 0; due = this.#due()) await this.#applyBudgets(due);
    } catch (error) {
      // What was known stays, and own requests are added to it.
      if (!this.#failing) this.options.log.warn({ reason: reasonOf(error) }, 'limits.budgets_unknown');
      this.#failing = true;
    } finally {
      this.#asking = false;
    }
  }

  #due(): Holder[] {
    const now = performance.now();
    const due: Holder[] = [];
    for (const { type, id, limits } of this.options.keys.budgeted()) {
      const holder = this.options.book.seen(type, id, limits);
      if (!holder) continue;
      const inUse = !holder.budget.isIdle || now - holder.changedAt < MINUTE_MS;
      if (now - holder.askedAt >= (inUse ? TELL_MS / 2 : MINUTE_MS)) due.push(holder);
      if (due.length === LIMIT_HOLDERS_MAX) break;
    }
    return due;
  }

  async #applyBudgets(holders: readonly Holder[]): Promise<void> {
    const idsOf = (kind: HolderKind): number[] => holders.filter((holder) => holder.kind === kind).map(({ id }) => id);
    const askedAt = performance.now();
    const requests = [...new Set(holders.flatMap(({ budget }) => [...budget.open()]))].slice(0, REQUESTS_MAX);
    const question = { keys: idsOf('key'), accounts: idsOf('account'), requests };
    const reply = await this.#rpc.call(QueryBudgets, question);
    this.#failing = false;
    const counted = new Map(reply.requests.map(({ st, ...rest }): [string, typeof rest] => [st, rest]));
    const totals = { key: new Map(reply.keys.map((one) => [one.id, one])), account: new Map(reply.accounts.map((one) => [one.id, one])) };
    for (const holder of holders) {
      holder.askedAt = askedAt;
      const total = totals[holder.kind].get(holder.id);
      // What was known of a holder that the answer leaves out stays, and others are not kept waiting for it.
      if (total) holder.totals({ day: reply.day, dayTokens: total.day, monthTokens: total.month, counted });
    }
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
