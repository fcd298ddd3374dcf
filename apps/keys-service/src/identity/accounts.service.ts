import { Inject, Injectable } from '@nestjs/common';
import { type AccountId, type AccountState, type Actor, KeyFeed, type KeyFeedRecord, type Limits, ServiceError } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { type FeedPublisher, publisherOf } from '@slipway/feed';
import { accountRecord } from '../shared/feed-records.js';
import { limitFacts } from '../shared/limit-facts.js';
import { SessionEnding } from './session-ending.service.js';
import { type Account, AccountsRepository } from './accounts.repository.js';
import { type Page, pageOf } from '../shared/page.js';

interface AccountName {
  readonly id: AccountId;
  readonly slug: string;
}

/** An account's limits, and whether gateways obey them already. */
export interface LimitedAccount {
  readonly id: AccountId;
  readonly limits: Limits;
  readonly propagated: boolean;
  /** The live gateways that have not confirmed. */
  readonly missing: readonly string[];
}

/** An account's state, and whether gateways obey it already. */
export interface AccountInState extends Omit<LimitedAccount, 'limits'> {
  readonly state: AccountState;
}

@Injectable()
export class AccountsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly accounts: AccountsRepository,
    @Inject(publisherOf(KeyFeed)) private readonly feed: FeedPublisher<KeyFeedRecord, Tx>,
    private readonly sessions: SessionEnding,
    private readonly audit: AuditLog,
  ) {}

  /** For operators: people come into accounts by invitation. Waits for the gateways, a second at most. */
  async create(slug: string, actor?: Actor): Promise<AccountName & { readonly propagated: boolean; readonly missing: readonly string[] }> {
    if (actor !== undefined && actor.kind !== 'ops')
      throw new ServiceError('not_permitted', 'Operators make accounts.', { param: 'actor' });
    const { ticket, ...name } = await this.transactions.run(async (tx) => {
      const account = await this.accounts.insert(tx, slug);
      if (account === null)
        throw new ServiceError('slug_taken', 'An account has this name, or had it before it was deleted; choose another name.', {
          param: 'slug',
        });
      const { id, slug: objectName } = account;
      await this.audit.record(tx, { account: id, actor, action: 'account.create', object: `account:${id}`, objectName });
      return { id, slug: objectName, ticket: await this.feed.record(tx, { op: 'put', ...accountRecord(account) }) };
    });
    const { propagated, waiting } = await this.feed.propagation(ticket);
    return { ...name, propagated, missing: waiting };
  }

  /** For operators. Waits for the gateways, a second at most; what they did not confirm by then is committed all the same. */
  async setLimits(account: AccountId, limits: Limits, actor?: Actor): Promise<LimitedAccount> {
    if (actor !== undefined && actor.kind !== 'ops')
      throw new ServiceError('not_permitted', 'Operators set the limits of accounts.', { param: 'actor' });
    const ticket = await this.transactions.run(async (tx) => {
      const held = await this.accounts.hold(tx, account);
      if (held === null) throw new ServiceError('account_not_found', 'There is no account of this number.', { param: 'account' });
      const changed = await this.accounts.setLimits(tx, account, limits);
      await this.audit.record(tx, {
        account,
        actor,
        action: 'account.limits',
        object: `account:${account}`,
        objectName: changed.slug,
        facts: limitFacts(held.limits, limits, 'none'),
      });
      return this.feed.record(tx, { op: 'put', ...accountRecord(changed) });
    });
    const { propagated, waiting } = await this.feed.propagation(ticket);
    return { id: account, limits, propagated, missing: waiting };
  }

  /**
   * For operators. Waits for the gateways, a second at most; what they did not confirm by then is committed all the same. A state
   * that the account has already is told to the gateways again, and written down once. Sessions of the account get tokens of the
   * new state: those of before are void.
   */
  async setState(account: AccountId, state: AccountState, actor?: Actor): Promise<AccountInState> {
    if (actor !== undefined && actor.kind !== 'ops')
      throw new ServiceError('not_permitted', 'Operators suspend accounts.', { param: 'actor' });
    const ticket = await this.transactions.run(async (tx) => {
      const held = await this.accounts.hold(tx, account);
      if (held === null) throw new ServiceError('account_not_found', 'There is no account of this number.', { param: 'account' });
      const changed = await this.accounts.setState(tx, account, state);
      if (held.state !== state) {
        const action = state === 'suspended' ? 'account.suspend' : 'account.resume';
        const facts = { from: held.state, state };
        await this.audit.record(tx, { account, actor, action, object: `account:${account}`, objectName: changed.slug, facts });
      }
      return this.feed.record(tx, { op: 'put', ...accountRecord(changed) });
    });
    await this.#voidTokens(account);
    const { propagated, waiting } = await this.feed.propagation(ticket);
    return { id: account, state, propagated, missing: waiting };
  }

  /** Apart from what sets the state: a session that begins meanwhile holds the account, and playground keys are made in sessions. */
  async #voidTokens(account: AccountId): Promise<void> {
    await this.transactions.run((tx) => this.accounts.awaitReferences(tx, account));
    await this.transactions.run((tx) => this.sessions.voidTokens(tx, { account }));
  }

  /** Accounts with numbers above `after`, oldest first. */
  async list(after = 0): Promise<Page<Account>> {
    return pageOf((limit) => this.transactions.read((connection) => this.accounts.page(connection, after, limit)));
  }

  async limits(id: AccountId): Promise<{ limits: Limits }> {
    const account = await this.transactions.read((connection) => this.accounts.find(connection, id));
    if (account === null) throw new ServiceError('account_not_found', 'There is no account of this number.', { param: 'account' });
    return { limits: account.limits };
  }

  /** Also one that was deleted. */
  async find(slug: string): Promise<AccountName & { readonly deletedAt: Date | null }> {
    const account = await this.transactions.read((connection) => this.accounts.findBySlug(connection, slug));
    if (account === null) throw new ServiceError('account_not_found', 'There is no account of this name.', { param: 'slug' });
    return { id: account.id, slug: account.slug, deletedAt: account.deletedAt };
  }
}
