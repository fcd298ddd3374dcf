import { Injectable } from '@nestjs/common';
import { type AccountId, type Actor, ServiceError } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { KeyFeedChanges, type Propagation } from '../shared/key-feed.repository.js';
import { type Account, AccountsRepository } from './accounts.repository.js';
import { requireOperator } from './authority.service.js';
import { SessionRevocation } from './session-revocation.service.js';

/** Keys that one transaction revokes. */
const KEYS_AT_ONCE = 200;

/** What was deleted or ended with an account. */
interface DeletedCounts {
  readonly keys: number;
  readonly members: number;
  readonly invitations: number;
  readonly sessions: number;
}

/** A deleted account and what this call deleted with it. */
export interface DeletedAccount extends DeletedCounts, Propagation {
  readonly id: AccountId;
  readonly slug: string;
}

/** Deletes accounts. The row stays, so that the name stays taken; usage and the audit log stay too. */
@Injectable()
export class AccountDeletion {
  constructor(
    private readonly transactions: Transactions,
    private readonly accounts: AccountsRepository,
    private readonly sessions: SessionRevocation,
    private readonly feed: KeyFeedChanges,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Suspends the account first, so that nothing of it opens anything from then on. An interrupted call leaves it suspended, and the
   * next call continues; a repeated call changes nothing.
   * @throws ServiceError `account_not_found`, `not_permitted`
   */
  async delete(slug: string, actor: Actor): Promise<DeletedAccount> {
    requireOperator(actor, 'Only operators delete accounts.');
    const before = await this.transactions.run((tx) => this.#suspend(tx, slug));
    const { id } = before;
    let keys = 0;
    for (let revoked = -1; revoked !== 0; keys += revoked) revoked = await this.transactions.run((tx) => this.#revokeKeys(tx, id));
    const { ticket, ...counts } = await this.transactions.run((tx) => this.#finish(tx, { before, keys }, actor));
    // In a transaction of its own: accepting an invitation locks it first and then the account.
    await this.transactions.run((tx) => this.accounts.deleteInvitations(tx, id));
    return { id, slug, ...counts, ...(await this.feed.propagation(ticket)) };
  }

  /** Returns the account as it was before. */
  async #suspend(tx: Tx, slug: string): Promise<Account> {
    const found = await this.accounts.findBySlug(tx, slug);
    if (found === null) throw new ServiceError('account_not_found', 'There is no account of this name.', { param: 'slug' });
    const before = await this.accounts.lock(tx, found.id);
    if (before === null || before.state === 'suspended') return before ?? found;
    await this.feed.putAccount(tx, await this.accounts.setState(tx, before.id, 'suspended'));
    return before;
  }

  async #revokeKeys(tx: Tx, account: AccountId): Promise<number> {
    const revoked = await this.accounts.revokeKeys(tx, account, KEYS_AT_ONCE);
    for (const key of revoked) await this.feed.putKey(tx, key);
    return revoked.length;
  }

  async #finish(
    tx: Tx,
    { before, keys: revoked }: { before: Account; keys: number },
    actor: Actor,
  ): Promise<DeletedCounts & { ticket: string }> {
    const { id } = before;
    if ((await this.accounts.lock(tx, id)) === null) {
      return { keys: revoked, members: 0, invitations: 0, sessions: 0, ticket: await this.feed.putAccount(tx, before) };
    }
    // Keys that were created since. The lock allows no further ones.
    let keys = revoked;
    for (let more = -1; more !== 0; keys += more) more = await this.#revokeKeys(tx, id);
    const invitations = await this.accounts.quotaUse(tx, id, 'invitations');
    // Memberships before sessions, the lock order of role changes and refreshes.
    const members = await this.accounts.deleteMemberships(tx, id);
    const sessions = (await this.sessions.endAll(tx, { account: id })).length;
    const deleted = await this.accounts.delete(tx, id);
    const counts = { keys, members, invitations, sessions };
    const entry = { account: id, actor, action: 'account.delete', object: `account:${id}`, objectName: before.slug };
    await this.audit.record(tx, { ...entry, facts: { from: before.state, state: 'deleted', ...counts } });
    return { ...counts, ticket: await this.feed.putAccount(tx, deleted) };
  }
}
