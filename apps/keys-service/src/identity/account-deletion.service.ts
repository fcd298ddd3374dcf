import { Inject, Injectable } from '@nestjs/common';
import { type AccountId, type Actor, KeyFeed, type KeyFeedRecord, ServiceError } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { type FeedPublisher, publisherOf } from '@slipway/feed';
import { type Account, AccountsRepository } from './accounts.repository.js';
import { accountRecord, keyRecord } from '../shared/feed-records.js';
import { SessionEnding } from './session-ending.service.js';
import { AccountErasureRepository } from './account-erasure.repository.js';

/** Keys that one transaction revokes. */
const KEYS_AT_ONCE = 200;

/** What went with an account. */
interface Erased {
  readonly members: number;
  readonly invitations: number;
  readonly sessions: number;
}

/** An account that is no more, what went with it in this call, and whether gateways obey already. */
export interface DeletedAccount extends Erased {
  readonly id: AccountId;
  readonly slug: string;
  readonly keys: number;
  readonly propagated: boolean;
  /** The live gateways that have not confirmed. */
  readonly missing: readonly string[];
}

const NOTHING: Erased = { members: 0, invitations: 0, sessions: 0 };

/** Deletes accounts. What stays is the row, which keeps the name taken, with usage and the audit log. */
@Injectable()
export class AccountDeletion {
  constructor(
    private readonly transactions: Transactions,
    private readonly accounts: AccountsRepository,
    private readonly erasure: AccountErasureRepository,
    private readonly sessions: SessionEnding,
    @Inject(publisherOf(KeyFeed)) private readonly feed: FeedPublisher<KeyFeedRecord, Tx>,
    private readonly audit: AuditLog,
  ) {}

  /**
   * From the first step on nothing of the account opens anything. One that is interrupted leaves it suspended, and the next
   * one goes on; one that is done changes nothing.
   * @throws ServiceError `account_not_found`, `not_permitted`
   */
  async delete(slug: string, actor: Actor): Promise<DeletedAccount> {
    if (actor.kind !== 'ops') throw new ServiceError('not_permitted', 'Operators delete accounts.', { param: 'actor' });
    const before = await this.transactions.run((tx) => this.#suspend(tx, slug));
    const { id } = before;
    let keys = 0;
    for (let revoked = -1; revoked !== 0; keys += revoked) revoked = await this.transactions.run((tx) => this.#revokeKeys(tx, id));
    const { ticket, ...gone } = await this.transactions.run((tx) => this.#finish(tx, { before, keys }, actor));
    // Apart: somebody who accepts a link holds it and waits for the account.
    await this.transactions.run((tx) => this.erasure.eraseInvitations(tx, id));
    const { propagated, waiting } = await this.feed.propagation(ticket);
    return { id, slug, ...gone, propagated, missing: waiting };
  }

  /** Returns the account as it was. */
  async #suspend(tx: Tx, slug: string): Promise<Account> {
    const found = await this.accounts.findBySlug(tx, slug);
    if (found === null) throw new ServiceError('account_not_found', 'There is no account of this name.', { param: 'slug' });
    const held = await this.accounts.hold(tx, found.id);
    if (held === null || held.state === 'suspended') return held ?? found;
    const changed = await this.accounts.setState(tx, held.id, 'suspended');
    await this.feed.record(tx, { op: 'put', ...accountRecord(changed) });
    return held;
  }

  async #revokeKeys(tx: Tx, account: AccountId): Promise<number> {
    const revoked = await this.erasure.revokeKeys(tx, account, KEYS_AT_ONCE);
    for (const key of revoked) await this.feed.record(tx, { op: 'put', ...keyRecord(key) });
    return revoked.length;
  }

  async #finish(
    tx: Tx,
    { before, keys: revoked }: { before: Account; keys: number },
    actor: Actor,
  ): Promise<Erased & { keys: number; ticket: string }> {
    const { id } = before;
    const held = await this.accounts.hold(tx, id);
    if (held === null) return { ...NOTHING, keys: revoked, ticket: await this.feed.record(tx, { op: 'put', ...accountRecord(before) }) };
    // Those that were made since; from here on none is made any more.
    let keys = revoked;
    for (let more = -1; more !== 0; keys += more) more = await this.#revokeKeys(tx, id);
    const invitations = await this.erasure.waitingInvitations(tx, id);
    // Before the sessions, as where roles change: a refresh holds a membership and waits for its session.
    const members = await this.erasure.eraseMemberships(tx, id);
    const sessions = (await this.sessions.endAll(tx, { account: id })).length;
    const deleted = await this.accounts.delete(tx, id);
    const counts = { keys, members, invitations, sessions };
    const entry = { account: id, actor, action: 'account.delete', object: `account:${id}`, objectName: before.slug };
    await this.audit.record(tx, { ...entry, facts: { from: before.state, state: 'deleted', ...counts } });
    return { ...counts, ticket: await this.feed.record(tx, { op: 'put', ...accountRecord(deleted) }) };
  }
}
