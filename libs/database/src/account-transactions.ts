import { type AccountId, type Actor, ServiceError } from '@slipway/contracts';
import { ChangeBudget } from '@slipway/platform';
import type { Transactions, Tx } from './transactions.js';
import { Turns } from './turns.js';

/** Per account and replica of this service. Changes run one after the other, since their database locks exclude each other anyway. */
const CHANGES_AT_ONCE = 1;
const READS_AT_ONCE = 2;
const WAITING_MAX = 64;
/** Of all accounts together: the pool has ten connections, of which placement, feed and operators need some. */
const ALL_AT_ONCE = 6;
const ALL_WAITING_MAX = 1_024;
/** RPC callers give up after 3 s. */
const WAIT_MS = 3_000;
/** Burst of an account, as minutes of its average rate. */
const BURST_MINUTES = 10;
const MINUTE_MS = 60_000;

/** What `AccountTransactions` needs. */
export interface AccountTransactionsOptions {
  readonly transactions: Transactions;
  /** Average of one account in this replica; the burst is ten times as many. */
  readonly changesPerMinute: number;
  /** What accounts change, for the refusal: `deployments and aliases`. */
  readonly what: string;
}

/** The account that is changed, and who asks for it. */
interface Asked {
  readonly account: AccountId;
  readonly actor?: Actor | undefined;
}

/**
 * Runs database work on behalf of accounts and bounds how many connections it takes, in all and per account. Work waits for its
 * turn before it takes a connection.
 */
export class AccountTransactions {
  readonly #changes = new Turns<AccountId>({ atOnce: CHANGES_AT_ONCE, waitingMax: WAITING_MAX, waitMs: WAIT_MS });
  readonly #reads = new Turns<AccountId>({ atOnce: READS_AT_ONCE, waitingMax: WAITING_MAX, waitMs: WAIT_MS });
  readonly #all = new Turns<'all'>({ atOnce: ALL_AT_ONCE, waitingMax: ALL_WAITING_MAX, waitMs: WAIT_MS });

  readonly #budget: ChangeBudget;

  constructor(private readonly options: AccountTransactionsOptions) {
    const { changesPerMinute } = options;
    this.#budget = new ChangeBudget({ burst: BURST_MINUTES * changesPerMinute, refillMs: MINUTE_MS / changesPerMinute });
  }

  /**
   * Runs `work` in one transaction, after the account's earlier ones in this replica.
   * @throws ServiceError `rate_limit_exceeded` when the account changes too often (operators are exempt); `unavailable` when too
   *   much of its work waits
   */
  async run<T>({ account, actor }: Asked, work: (tx: Tx) => Promise<T>): Promise<T> {
    if (actor?.kind !== 'ops' && !this.#budget.take(account, performance.now())) throw tooOften(this.options);
    return this.#changes.take(account, () => this.#all.take('all', () => this.options.transactions.run(work)));
  }

  /**
   * Runs statements that may be repeated, such as reads, without a transaction: at most two calls of an account at once.
   * @throws ServiceError `unavailable` when too much of the account's work waits
   */
  read<T>(account: AccountId, work: (connection: Tx) => Promise<T>): Promise<T> {
    return this.#reads.take(account, () => this.#all.take('all', () => this.options.transactions.read(work)));
  }
}

const tooOften = ({ changesPerMinute: perMinute, what }: AccountTransactionsOptions): ServiceError =>
  new ServiceError(
    'rate_limit_exceeded',
    `This account changes its ${what} too often: ${perMinute} changes a minute are allowed, and ${BURST_MINUTES * perMinute} in a row.`,
    { retryAfterS: Math.ceil(60 / perMinute) },
  );
