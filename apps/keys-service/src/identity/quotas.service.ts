import { Inject, Injectable } from '@nestjs/common';
import {
  type AccountId,
  type AccountQuotas,
  type AccountQuotasWish,
  type Actor,
  COUNTED_QUOTAS,
  type CountedQuota,
  KeyFeed,
  type KeyFeedRecord,
  ServiceError,
} from '@slipway/contracts';
import { AuditLog, Transactions, Turns, type Tx } from '@slipway/database';
import { type FeedPublisher, publisherOf } from '@slipway/feed';
import type { z } from 'zod';
import { accountRecord } from '../shared/feed-records.js';
import { type Account, AccountsRepository } from './accounts.repository.js';
import { limitFacts } from '../shared/limit-facts.js';
import { type QuotaCounts, QuotaUseRepository } from './quota-use.repository.js';

/** What holds for accounts of which an operator said nothing, under a name that Nest can inject. */
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

/** Keys that an account may make within a day, as a multiple of those that it may have; at least the number below. */
const KEYS_OF_DAY = 10;
const KEYS_OF_DAY_LEAST = 100;

const WHAT: Record<CountedQuota, readonly [things: string, help: string]> = {
  keys: ['deployment keys that are not revoked', 'Revoke one that is not needed'],
  members: ['members', 'Remove one who left'],
  invitations: ['invitations that wait', 'Take one back'],
};

/** Additions to one account that wait in a process at most. */
const WAITING_MAX = 64;
/** Callers wait for 5 s. */
const WAIT_MS = 5_000;

/** Holds accounts to how much of each they may have. */
@Injectable()
export class Quotas {
  readonly #turns = new Turns<AccountId>({ atOnce: 1, waitingMax: WAITING_MAX, waitMs: WAIT_MS });

  constructor(
    private readonly defaults: QuotaDefaults,
    private readonly transactions: Transactions,
    private readonly accounts: AccountsRepository,
    private readonly uses: QuotaUseRepository,
    @Inject(publisherOf(KeyFeed)) private readonly feed: FeedPublisher<KeyFeedRecord, Tx>,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Adds something that a quota bounds. Of one account this happens one after the other, in all replicas, until each
   * transaction ends: so none is counted too late.
   * @throws ServiceError `quota_exceeded`, `account_not_found`
   */
  async admit<T>(tx: Tx, account: AccountId, quota: CountedQuota, add: () => Promise<T>): Promise<T> {
    const held = await this.hold(tx, account);
    const limit = held.quotas[quota] ?? this.defaults[quota];
    const before = await this.uses.count(tx, account, quota);
    const added = await add();
    const used = await this.uses.count(tx, account, quota);
    // What takes the place of something else needs no room.
    if (used > limit && used > before) throw exceeded(quota, limit, before);
    if (quota === 'keys') await this.#requireCalm(tx, account, limit);
    return added;
  }

  /**
   * Refuses where nothing can be added; until the transaction ends, nobody else adds anything.
   * @throws ServiceError `quota_exceeded`, `account_not_found`
   */
  async requireRoom(tx: Tx, account: AccountId, quota: CountedQuota): Promise<void> {
    const held = await this.hold(tx, account);
    const limit = held.quotas[quota] ?? this.defaults[quota];
    const used = await this.uses.count(tx, account, quota);
    if (used >= limit) throw exceeded(quota, limit, used);
  }

  /** An account, which nobody deletes until the transaction ends. @throws ServiceError `account_not_found` */
  async hold(tx: Tx, account: AccountId): Promise<Account> {
    const held = await this.accounts.hold(tx, account);
    if (held === null) throw accountNotFound();
    return held;
  }

  /**
   * Does work that `admit`s, of one account one after the other: those that wait hold no connection that others need.
   * @throws ServiceError `unavailable` when too many wait
   */
  inTurn<T>(account: AccountId, work: () => Promise<T>): Promise<T> {
    return this.#turns.take(account, work);
  }

  /** The quotas of an account, and how much of them is in use. */
  find(account: AccountId): Promise<{ quotas: AccountQuotas; defaults: QuotaCounts; used: QuotaCounts }> {
    return this.transactions.read(async (connection) => {
      const found = await this.accounts.find(connection, account);
      if (found === null) throw accountNotFound();
      const used = { keys: 0, members: 0, invitations: 0 };
      for (const quota of COUNTED_QUOTAS) used[quota] = await this.uses.count(connection, account, quota);
      const { keys, members, invitations } = this.defaults;
      return { quotas: found.quotas, defaults: { keys, members, invitations }, used };
    });
  }

  /** For operators. Waits for the gateways, a second at most, of which some quotas are obeyed. */
  async set(
    account: AccountId,
    wish: z.output<typeof AccountQuotasWish>,
    actor?: Actor,
  ): Promise<{ id: AccountId; quotas: AccountQuotas; propagated: boolean; missing: readonly string[] }> {
    if (actor !== undefined && actor.kind !== 'ops')
      throw new ServiceError('not_permitted', 'Operators set the quotas of accounts.', { param: 'actor' });
    const { changed, ticket } = await this.transactions.run(async (tx) => {
      const held = await this.hold(tx, account);
      const after = await this.accounts.setQuotas(tx, account, changedQuotas(held.quotas, wish));
      const entry = { account, actor, action: 'account.quotas', object: `account:${account}`, objectName: after.slug } as const;
      await this.audit.record(tx, { ...entry, facts: limitFacts(held.quotas, after.quotas, 'default') });
      return { changed: after, ticket: await this.feed.record(tx, { op: 'put', ...accountRecord(after) }) };
    });
    const { propagated, waiting } = await this.feed.propagation(ticket);
    return { id: account, quotas: changed.quotas, propagated, missing: waiting };
  }

  async #requireCalm(tx: Tx, account: AccountId, limit: number): Promise<void> {
    const most = Math.max(KEYS_OF_DAY_LEAST, KEYS_OF_DAY * limit);
    if ((await this.uses.keysOfDay(tx, account)) <= most) return;
    throw new ServiceError(
      'quota_exceeded',
      `This account made ${most} keys within a day, which is as many as it may; try again tomorrow.`,
      {
        facts: { quota: 'keys', limit: most, used: most },
      },
    );
  }
}

function changedQuotas(quotas: AccountQuotas, wish: z.output<typeof AccountQuotasWish>): AccountQuotas {
  const entries = Object.entries({ ...quotas, ...wish }).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return Object.fromEntries(entries);
}

function exceeded(quota: CountedQuota, limit: number, used: number): ServiceError {
  const [things, help] = WHAT[quota];
  return new ServiceError('quota_exceeded', `This account has ${used} of ${limit} ${things}. ${help}, or ask the operator for more.`, {
    facts: { quota, limit, used },
  });
}

const accountNotFound = (): ServiceError =>
  new ServiceError('account_not_found', 'There is no account of this number.', { param: 'account' });
