import { type AccountId, type Actor, ServiceError } from '@slipway/contracts';
import { Transactions, Turns, type Tx } from '@slipway/database';
import { ChangeBudget } from '../change-budget.js';

/** Of one account in a replica: changes happen one after the other, as their locks would have it anyway. */
const CHANGES_AT_ONCE = 1;
const READS_AT_ONCE = 2;
const WAITING_MAX = 64;
/** Of all accounts: the pool has ten connections, and placement, feed and operators need some. */
const ALL_AT_ONCE = 6;
const ALL_WAITING_MAX = 1_024;
/** Callers wait for 3 s. */
const WAIT_MS = 3_000;
/** Changes that an account may make in a row, as those of so many minutes. */
const BURST_MINUTES = 10;
const MINUTE_MS = 60_000;

/** Whose work it is, and who asks for it. */
interface Asked {
  readonly account: AccountId;
  readonly actor?: Actor | undefined;
}

/**
 * The part of the pool that work on behalf of accounts may take, and each account of that: whoever asks for
 * much at once waits for itself, before it holds a connection.
 */
export class AccountTransactions {
  readonly #changes = new Turns<AccountId>({ atOnce: CHANGES_AT_ONCE, waitingMax: WAITING_MAX, waitMs: WAIT_MS });
  readonly #reads = new Turns<AccountId>({ atOnce: READS_AT_ONCE, waitingMax: WAITING_MAX, waitMs: WAIT_MS });
  readonly #all = new Turns<'all'>({ atOnce: ALL_AT_ONCE, waitingMax: ALL_WAITING_MAX, waitMs: WAIT_MS });

  readonly #budget: ChangeBudget;

  /** @param changesPerMinute of one account in this replica, on average; ten minutes' worth may come at once. */
  constructor(
    private readonly transactions: Transactions,
    private readonly changesPerMinute: number,
  ) {
    this.#budget = new ChangeBudget({ burst: BURST_MINUTES * changesPerMinute, refillMs: MINUTE_MS / changesPerMinute });
  }

  /**
   * Runs `work` in one transaction, after all others of the account in this replica.
   * @throws ServiceError `rate_limit_exceeded` for an account that changes something all the time, which operators may;
   *   `unavailable` when too much of it waits
   */
  async run<T>({ account, actor }: Asked, work: (tx: Tx) => Promise<T>): Promise<T> {
    if (actor?.kind !== 'ops' && !this.#budget.take(account, performance.now())) throw tooOften(this.changesPerMinute);
    return this.#changes.take(account, () => this.#all.take('all', () => this.transactions.run(work)));
  }

  /**
   * Runs statements that may be repeated, without a transaction, two such of an account at once.
   * @throws ServiceError `unavailable` when too much of the account waits
   */
  read<T>(account: AccountId, work: (connection: Tx) => Promise<T>): Promise<T> {
    return this.#reads.take(account, () => this.#all.take('all', () => this.transactions.read(work)));
  }
}

const tooOften = (perMinute: number): ServiceError =>
  new ServiceError(
    'rate_limit_exceeded',
    `This account changes its deployments and aliases too often: ${perMinute} changes a minute are allowed, and ${BURST_MINUTES * perMinute} in a row.`,
    { retryAfterS: Math.ceil(60 / perMinute) },
  );
