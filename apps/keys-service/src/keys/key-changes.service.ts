import { Injectable } from '@nestjs/common';
import { type AccountId, type Actor, type AuditEntry, type KeyId, ServiceError } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import { keyRecord } from '../feed/feed-records.js';
import { KeyFeedPublisher } from '../feed/key-feed-publisher.js';
import { limitFacts } from '../limits/limit-facts.js';
import { Authority } from '../people/authority.service.js';
import { type KeyChange, KeysRepository, type NewKey, type StoredKey } from './keys.repository.js';

/** A key after a change, and whether gateways obey it already. */
export interface ObeyedChange {
  readonly key: StoredKey;
  readonly propagated: boolean;
  /** The live gateways that have not confirmed. */
  readonly missing: readonly string[];
}

/** On whose behalf a key is changed, and as what it is written down. */
export interface KeyDeed {
  /** Absent where an older caller did not say. */
  readonly actor: Actor | undefined;
  readonly action: `${'key' | 'mcp_key'}.${'create' | 'rename' | 'rotate' | 'revoke' | 'limits' | 'deployments'}`;
}

/** The one way to change a key: its row, the record that gateways get and the entry in the audit log, in one transaction. */
@Injectable()
export class KeyChanges {
  constructor(
    private readonly transactions: Transactions,
    private readonly accounts: AccountsRepository,
    private readonly keys: KeysRepository,
    private readonly feed: KeyFeedPublisher,
    private readonly authority: Authority,
    private readonly audit: AuditLog,
  ) {}

  /** Null when it is an MCP key and the account has one. */
  create(key: NewKey, deed: KeyDeed): Promise<StoredKey | null> {
    return this.transactions.run(async (tx) => {
      const actorName = await this.authority.require(tx, key.account, deed.actor, 'change');
      const createdBy = deed.actor ? { actor: deed.actor.kind, name: actorName } : null;
      const created = await this.keys.insert(tx, { ...key, createdBy });
      if (created === null) return null;
      await this.#record(tx, created);
      await this.#writeDown(tx, created, { ...deed, actorName, facts: { expires_at: created.expiresAt?.toISOString() ?? null } });
      return created;
    });
  }

  /** Names are not told to gateways. */
  rename(address: { account: AccountId; id: KeyId; name: string }, deed: KeyDeed): Promise<StoredKey | null> {
    return this.transactions.run(async (tx) => {
      const actorName = await this.#authorize(tx, address.account, deed);
      const renamed = await this.keys.rename(tx, address.account, address);
      if (renamed !== null) await this.#writeDown(tx, renamed, { ...deed, actorName });
      return renamed;
    });
  }

  /**
   * Changes the key that `choose` holds, then waits for the gateways, a second at most. What they did
   * not confirm by then is committed all the same.
   */
  async change(
    account: AccountId,
    deed: KeyDeed,
    choose: (tx: Tx) => Promise<{ held: StoredKey; change: KeyChange }>,
  ): Promise<ObeyedChange> {
    const { key, ticket } = await this.transactions.run(async (tx) => {
      const actorName = await this.#authorize(tx, account, deed);
      const { held, change } = await choose(tx);
      const changed = await this.keys.change(tx, held, change);
      await this.#writeDown(tx, changed, { ...deed, actorName, facts: factsOf(change) });
      return { key: changed, ticket: await this.#record(tx, changed) };
    });
    const { propagated, waiting } = await this.feed.propagation(ticket);
    return { key, propagated, missing: waiting };
  }

  /** @throws ServiceError `account_not_found` */
  async requireAccount(tx: Tx, account: AccountId): Promise<void> {
    if (!(await this.accounts.holds(tx, account))) {
      throw new ServiceError('account_not_found', 'There is no account of this number.', { param: 'account' });
    }
  }

  /** People are asked for their role before anything of the account is looked at. */
  async #authorize(tx: Tx, account: AccountId, { actor }: KeyDeed): Promise<string | null> {
    return actor?.kind === 'user' ? this.authority.require(tx, account, actor, 'change') : null;
  }

  async #writeDown(tx: Tx, key: StoredKey, deed: KeyDeed & { actorName: string | null; facts?: AuditEntry['facts'] }): Promise<void> {
    await this.audit.record(tx, { ...deed, account: key.account, object: `key:${key.id}`, objectName: key.name });
  }

  #record(tx: Tx, key: StoredKey): Promise<string> {
    return this.feed.record(tx, { op: 'put', ...keyRecord(key) });
  }
}

/** What an entry of the audit log says of a change besides its name. */
const factsOf = ({ limits, deployments }: KeyChange): AuditEntry['facts'] => ({
  ...(limits && limitFacts(limits)),
  ...(deployments !== undefined && { deployments: deployments && deployments.join(', ') }),
});
