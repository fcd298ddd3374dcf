import { Injectable } from '@nestjs/common';
import {
  type AccountId,
  type AccountQuotas,
  type Actor,
  COUNTED_QUOTAS,
  type CountedQuota,
  ServiceError,
  type SetAccountQuotas,
} from '@slipway/contracts';
import { AuditLog, changesOf, Transactions, Turns, type Tx } from '@slipway/database';
import type { z } from 'zod';
import { KeyFeedChanges, type Propagation } from '../shared/key-feed.repository.js';
import { AccountsRepository, type QuotaCounts } from './accounts.repository.js';
import { accountNotFound, Authority, requireOperator } from './authority.service.js';

/** Quotas of accounts for which an operator set none. A class, so that Nest can inject it. */
export class QuotaDefaults implements QuotaCounts {
  readonly keys: number;
  readonly members: number;
  readonly invitations: number;

  constructor({ keys, members, invitations }: QuotaCounts) {
    this.keys = keys;
    this.members = members;
    this.invitations = invitations;
  }
}

/** Quotas to set; null = back to the default. */
type QuotaUpdate = z.output<typeof SetAccountQuotas.request>['quotas'];

/** Keys that an account may create in 24 hours, as a multiple of its quota of keys; never less than the minimum. */
const KEYS_PER_DAY_FACTOR = 10;
const KEYS_PER_DAY_MIN = 100;

const TEXTS: Record<CountedQuota, readonly [things: string, remedy: string]> = {
  keys: ['deployment keys that are not revoked', 'Revoke one that is not needed'],
  members: ['members', 'Remove one who left'],
  invitations: ['pending invitations', 'Revoke one'],
};

/** Additions to one account that wait in a process at most. */
const WAITING_MAX = 64;
/** Callers time out after 5 s. */
const WAIT_MS = 5_000;

/** Enforces how many keys, members and pending invitations each account may have. */
@Injectable()
export class Quotas {
  readonly #turns = new Turns<AccountId>({ atOnce: 1, waitingMax: WAITING_MAX, waitMs: WAIT_MS });

  constructor(
    private readonly defaults: QuotaDefaults,
    private readonly transactions: Transactions,
    private readonly accounts: AccountsRepository,
    private readonly authority: Authority,
    private readonly feed: KeyFeedChanges,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Adds something that a quota limits. The account is locked until the transaction ends, so that concurrent additions in all
   * replicas are counted one after the other.
   * @throws ServiceError `quota_exceeded`, `account_not_found`
   */
  async admit<T>(tx: Tx, account: AccountId, quota: CountedQuota, add: () => Promise<T>): Promise<T> {
    const { quotas } = await this.authority.lockAccount(tx, account);
    const limit = quotas[quota] ?? this.defaults[quota];
    const before = await this.accounts.quotaUse(tx, account, quota);
    const added = await add();
    const used = await this.accounts.quotaUse(tx, account, quota);
    // An addition that replaces something is allowed in a full account.
    if (used > limit && used > before) throw exceeded(quota, limit, before);
    if (quota === 'keys') await this.#requireDailyKeys(tx, account, limit);
    return added;
  }

  /**
   * Refuses when the account is full. The account is locked until the transaction ends, so that nothing is added meanwhile.
   * @throws ServiceError `quota_exceeded`, `account_not_found`
   */
  async requireRoom(tx: Tx, account: AccountId, quota: CountedQuota): Promise<void> {
    const { quotas } = await this.authority.lockAccount(tx, account);
    const limit = quotas[quota] ?? this.defaults[quota];
    const used = await this.accounts.quotaUse(tx, account, quota);
    if (used >= limit) throw exceeded(quota, limit, used);
  }

  /**
   * Runs work that calls `admit`, one at a time per account, so that waiting additions occupy no database connections.
   * @throws ServiceError `unavailable` when 64 wait already
   */
  inTurn<T>(account: AccountId, work: () => Promise<T>): Promise<T> {
    return this.#turns.take(account, work);
  }

  /** The account's quotas and how much of them it uses. @throws ServiceError `account_not_found` */
  find(account: AccountId): Promise<{ quotas: AccountQuotas; defaults: QuotaCounts; used: QuotaCounts }> {
    return this.transactions.read(async (connection) => {
      const found = await this.accounts.find(connection, account);
      if (found === null) throw accountNotFound();
      const used = { keys: 0, members: 0, invitations: 0 };
      for (const quota of COUNTED_QUOTAS) used[quota] = await this.accounts.quotaUse(connection, account, quota);
      const { keys, members, invitations } = this.defaults;
      return { quotas: found.quotas, defaults: { keys, members, invitations }, used };
    });
  }

  /** For operators. Waits for the gateways, which enforce some quotas, 1 s at most. @throws ServiceError `account_not_found`, `not_permitted` */
  async set(account: AccountId, update: QuotaUpdate, actor?: Actor): Promise<Propagation & { id: AccountId; quotas: AccountQuotas }> {
    requireOperator(actor, 'Only operators set the quotas of accounts.');
    const { quotas, ticket } = await this.transactions.run(async (tx) => {
      const before = await this.authority.lockAccount(tx, account);
      const after = await this.accounts.setQuotas(tx, account, updated(before.quotas, update));
      const entry = { account, actor, action: 'account.quotas', object: `account:${account}`, objectName: after.slug };
      await this.audit.record(tx, { ...entry, facts: changesOf(before.quotas, after.quotas, 'default') });
      return { quotas: after.quotas, ticket: await this.feed.putAccount(tx, after) };
    });
    return { id: account, quotas, ...(await this.feed.propagation(ticket)) };
  }

  async #requireDailyKeys(tx: Tx, account: AccountId, quota: number): Promise<void> {
    const limit = Math.max(KEYS_PER_DAY_MIN, KEYS_PER_DAY_FACTOR * quota);
    if ((await this.accounts.keysOfLastDay(tx, account)) <= limit) return;
    throw new ServiceError('quota_exceeded', `This account created ${limit} keys within a day, the most it may; try again tomorrow.`, {
      facts: { quota: 'keys', limit, used: limit },
    });
  }
}

function updated(quotas: AccountQuotas, update: QuotaUpdate): AccountQuotas {
  const entries = Object.entries({ ...quotas, ...update }).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return Object.fromEntries(entries);
}

function exceeded(quota: CountedQuota, limit: number, used: number): ServiceError {
  const [things, remedy] = TEXTS[quota];
  return new ServiceError('quota_exceeded', `This account has ${used} of ${limit} ${things}. ${remedy}, or ask the operator for more.`, {
    facts: { quota, limit, used },
  });
}
