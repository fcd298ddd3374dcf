import { Inject, Injectable } from '@nestjs/common';
import { type AccountId, type Actor, type AuditEntry, KeyFeed, type KeyFeedRecord, type KeyId } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { type FeedPublisher, publisherOf } from '@slipway/feed';
import { Quotas } from '../identity/quotas.service.js';
import { keyRecord } from '../shared/feed-records.js';
import { limitFacts } from '../shared/limit-facts.js';
import { Authority } from '../identity/authority.service.js';
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
    private readonly quotas: Quotas,
    private readonly keys: KeysRepository,
    @Inject(publisherOf(KeyFeed)) private readonly feed: FeedPublisher<KeyFeedRecord, Tx>,
    private readonly authority: Authority,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Makes a key, then waits for the gateways, a second at most: a client that is refused once does not try again.
   * Null when it is an MCP key and the account has one.
   */
  async create(key: NewKey, deed: KeyDeed): Promise<ObeyedChange | null> {
    const make = async (tx: Tx): Promise<{ key: StoredKey; ticket: string } | null> => {
      const actorName = await this.authority.require(tx, key.account, deed.actor, 'change');
      const createdBy = deed.actor ? { actor: deed.actor.kind, name: actorName } : null;
      const created = await this.#insert(tx, { ...key, createdBy });
      if (created === null) return null;
      await this.#writeDown(tx, created, { ...deed, actorName, facts: { expires_at: created.expiresAt?.toISOString() ?? null } });
      return { key: created, ticket: await this.#record(tx, created) };
    };
    const made = await this.quotas.inTurn(key.account, () => this.transactions.run(make));
    return made && this.#obeyed(made);
  }

  /** Names are not told to gateways. */
  rename(address: { account: AccountId; id: KeyId; name: string }, deed: KeyDeed): Promise<StoredKey | null> {
    return this.transactions.run(async (tx) => {
      const actorName = await this.#authorize(tx, address.account, deed);
      const renamed = await this.keys.rename(tx, address.account, address);
      if (renamed === null) return null;
      const { key, was } = renamed;
      const facts = was === key.name ? {} : { name: `${was} → ${key.name}` };
      await this.#writeDown(tx, key, { ...deed, actorName, facts });
      return key;
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
    const changed = await this.transactions.run(async (tx) => {
      const actorName = await this.#authorize(tx, account, deed);
      const { held, change } = await choose(tx);
      const key = await this.keys.change(tx, held, change);
      await this.#writeDown(tx, key, { ...deed, actorName, facts: factsOf(held, change) });
      return { key, ticket: await this.#record(tx, key) };
    });
    return this.#obeyed(changed);
  }

  /** Also one that was deleted: usage names its keys. @throws ServiceError `account_not_found` */
  requireAccountOnce(tx: Tx, account: AccountId): Promise<void> {
    return this.authority.requireAccountOnce(tx, account);
  }

  /** @throws ServiceError `account_not_found` */
  requireAccount(tx: Tx, account: AccountId): Promise<void> {
    return this.authority.requireAccount(tx, account);
  }

  /** An account has one MCP key at most, whatever its quota. */
  async #insert(tx: Tx, key: NewKey): Promise<StoredKey | null> {
    const insert = (): Promise<StoredKey | null> => this.keys.insert(tx, key);
    if (key.stored.kind !== 'mcp') return this.quotas.admit(tx, key.account, 'keys', insert);
    await this.quotas.hold(tx, key.account);
    return insert();
  }

  async #obeyed({ key, ticket }: { readonly key: StoredKey; readonly ticket: string }): Promise<ObeyedChange> {
    const { propagated, waiting } = await this.feed.propagation(ticket);
    return { key, propagated, missing: waiting };
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

/** What an entry of the audit log says of a change besides its name: each field before and after. */
const factsOf = (held: StoredKey, { limits, deployments }: KeyChange): AuditEntry['facts'] => ({
  ...(limits && limitFacts(held.limits, limits, 'none')),
  ...(deployments !== undefined && { deployments: `${namesOf(held.deployments)} → ${namesOf(deployments)}` }),
});

const namesOf = (deployments: StoredKey['deployments']): string => deployments?.join(', ') ?? 'all';
