import { Injectable } from '@nestjs/common';
import { type AccountId, type AccountState, type Actor, type Limits, ServiceError } from '@slipway/contracts';
import { AuditLog, changesOf, Transactions } from '@slipway/database';
import { KeyFeedChanges, type Propagation } from '../shared/key-feed.repository.js';
import { type Page, readPage } from '../shared/page.js';
import { type Account, AccountsRepository } from './accounts.repository.js';
import { accountNotFound, Authority, requireOperator } from './authority.service.js';
import { SessionRevocation } from './session-revocation.service.js';

/** Accounts, which operators create, limit and suspend. Changes wait for the gateways, 1 s at most, after they are committed. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly accounts: AccountsRepository,
    private readonly authority: Authority,
    private readonly feed: KeyFeedChanges,
    private readonly sessions: SessionRevocation,
    private readonly audit: AuditLog,
  ) {}

  /** Creates an account without members; people join by invitation. @throws ServiceError `slug_taken`, `not_permitted` */
  async create(slug: string, actor?: Actor): Promise<Propagation & { readonly id: AccountId; readonly slug: string }> {
    requireOperator(actor, 'Only operators create accounts.');
    const { ticket, id } = await this.transactions.run(async (tx) => {
      const account = await this.accounts.insert(tx, slug);
      if (account === null)
        throw new ServiceError('slug_taken', 'An account has this name, or had it before it was deleted; choose another name.', {
          param: 'slug',
        });
      const entry = { account: account.id, actor, action: 'account.create', object: `account:${account.id}`, objectName: slug };
      await this.audit.record(tx, entry);
      return { id: account.id, ticket: await this.feed.putAccount(tx, account) };
    });
    return { id, slug, ...(await this.feed.propagation(ticket)) };
  }

  /** Replaces all limits of an account. @throws ServiceError `account_not_found`, `not_permitted` */
  async setLimits(
    account: AccountId,
    limits: Limits,
    actor?: Actor,
  ): Promise<Propagation & { readonly id: AccountId; readonly limits: Limits }> {
    requireOperator(actor, 'Only operators set the limits of accounts.');
    const ticket = await this.transactions.run(async (tx) => {
      const before = await this.authority.lockAccount(tx, account);
      const after = await this.accounts.setLimits(tx, account, limits);
      const entry = { account, actor, action: 'account.limits', object: `account:${account}`, objectName: after.slug };
      await this.audit.record(tx, { ...entry, facts: changesOf(before.limits, limits, 'none') });
      return this.feed.putAccount(tx, after);
    });
    return { id: account, limits, ...(await this.feed.propagation(ticket)) };
  }

  /**
   * Suspends or resumes an account, and voids the tokens of its sessions, which state the old state. A state that the account has
   * already is published again, and recorded once.
   * @throws ServiceError `account_not_found`, `not_permitted`
   */
  async setState(
    account: AccountId,
    state: AccountState,
    actor?: Actor,
  ): Promise<Propagation & { readonly id: AccountId; readonly state: AccountState }> {
    requireOperator(actor, 'Only operators suspend accounts.');
    const ticket = await this.transactions.run(async (tx) => {
      const before = await this.authority.lockAccount(tx, account);
      const after = await this.accounts.setState(tx, account, state);
      if (before.state !== state) {
        const action = state === 'suspended' ? 'account.suspend' : 'account.resume';
        const facts = { from: before.state, state };
        await this.audit.record(tx, { account, actor, action, object: `account:${account}`, objectName: after.slug, facts });
      }
      return this.feed.putAccount(tx, after);
    });
    await this.#voidTokens(account);
    return { id: account, state, ...(await this.feed.propagation(ticket)) };
  }

  /** In transactions of its own: a session that begins meanwhile locks the account, and its playground keys are created in it. */
  async #voidTokens(account: AccountId): Promise<void> {
    await this.transactions.run((tx) => this.accounts.awaitReferences(tx, account));
    await this.transactions.run((tx) => this.sessions.voidTokens(tx, { account }));
  }

  /** Accounts with numbers above `after`, oldest first. */
  async list(after = 0): Promise<Page<Account>> {
    return readPage((limit) => this.transactions.read((connection) => this.accounts.page(connection, after, limit)));
  }

  /** @throws ServiceError `account_not_found` */
  async limits(id: AccountId): Promise<Limits> {
    const account = await this.transactions.read((connection) => this.accounts.find(connection, id));
    if (account === null) throw accountNotFound();
    return account.limits;
  }

  /** Also a deleted account. @throws ServiceError `account_not_found` */
  async find(slug: string): Promise<Account> {
    const account = await this.transactions.read((connection) => this.accounts.findBySlug(connection, slug));
    if (account === null) throw new ServiceError('account_not_found', 'There is no account of this name.', { param: 'slug' });
    return account;
  }
}
