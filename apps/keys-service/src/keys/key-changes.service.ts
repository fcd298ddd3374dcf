import { Injectable } from '@nestjs/common';
import { type AccountId, type Actor, type AuditEntry, type KeyId, ServiceError } from '@slipway/contracts';
import { AuditLog, changesOf, Transactions, type Tx } from '@slipway/database';
import { Authority } from '../identity/authority.service.js';
import { Quotas } from '../identity/quotas.service.js';
import { KeyFeedChanges, type Propagation, type StoredKey } from '../shared/key-feed.repository.js';
import { type KeyChange, KeysRepository, type NewKey } from './keys.repository.js';

/** A key to change: a deployment key by its number, or the one MCP key of an account. */
export interface KeyTarget {
  readonly account: AccountId;
  readonly key: KeyId | 'mcp';
}

/** Who changes a key, and the action that the audit log records. */
export interface KeyAction {
  /** Absent where an older caller did not name an actor. */
  readonly actor: Actor | undefined;
  readonly action: `${'key' | 'mcp_key'}.${'create' | 'rename' | 'rotate' | 'revoke' | 'limits' | 'deployments' | 'expiry'}`;
}

/** A key after a change, and whether gateways apply the change. */
export interface ChangedKey extends Propagation {
  readonly key: StoredKey;
}

/** A key with a new value, which is in this result only. */
export interface IssuedKey extends ChangedKey {
  readonly value: string;
}

/** The keys that were revoked, and whether gateways apply it. */
export interface RevokedKeys extends Propagation {
  readonly revoked: ReadonlySet<KeyId>;
}

/** Changes a key in one transaction: its row, its record in the key feed and the entry in the audit log. */
@Injectable()
export class KeyChanges {
  constructor(
    private readonly transactions: Transactions,
    private readonly quotas: Quotas,
    private readonly keys: KeysRepository,
    private readonly feed: KeyFeedChanges,
    private readonly authority: Authority,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Creates a key, then waits for the gateways, 1 s at most: clients do not retry a request that was refused for its key.
   * Null when it is an MCP key and the account already has one.
   * @throws ServiceError `quota_exceeded`, `account_not_found`, `not_permitted`
   */
  async create(newKey: NewKey, by: KeyAction): Promise<ChangedKey | null> {
    const create = async (tx: Tx): Promise<{ key: StoredKey; ticket: string } | null> => {
      const actorName = await this.authority.require(tx, newKey.account, by.actor, 'change');
      const createdBy = by.actor ? { actor: by.actor.kind, name: actorName } : null;
      const key = await this.#insert(tx, { ...newKey, createdBy });
      if (key === null) return null;
      await this.#record(tx, key, { ...by, actorName, facts: { expires_at: key.expiresAt?.toISOString() ?? null } });
      return { key, ticket: await this.feed.putKey(tx, key) };
    };
    const created = await this.quotas.inTurn(newKey.account, () => this.transactions.run(create));
    return created && { key: created.key, ...(await this.feed.propagation(created.ticket)) };
  }

  /** Gateways do not get names, so nothing is published. @throws ServiceError `key_not_found`, `not_permitted` */
  rename(target: KeyTarget & { readonly key: KeyId }, name: string, by: KeyAction): Promise<StoredKey> {
    return this.transactions.run(async (tx) => {
      const actorName = await this.#authorize(tx, target.account, by);
      const before = await this.#lock(tx, target);
      const key = await this.keys.rename(tx, before, name);
      const facts = before.name === name ? {} : { name: `${before.name} → ${name}` };
      await this.#record(tx, key, { ...by, actorName, facts });
      return key;
    });
  }

  /**
   * Changes a key, then waits for the gateways, 1 s at most. The change is committed even if some have not confirmed by then.
   * @throws ServiceError `key_not_found`, `not_permitted`; for a new value or expiry also `key_revoked`, `key_expired`
   */
  async change(target: KeyTarget, change: KeyChange, by: KeyAction): Promise<ChangedKey> {
    const { key, ticket } = await this.transactions.run(async (tx) => {
      const actorName = await this.#authorize(tx, target.account, by);
      const before = await this.#lock(tx, target);
      if (change.mac) requireRotatable(before, change.expiresAt);
      else if (change.expiresAt !== undefined) requireRotatable(before, undefined);
      const after = await this.keys.change(tx, before, change);
      await this.#record(tx, after, { ...by, actorName, facts: changedFacts(before, change) });
      return { key: after, ticket: await this.feed.putKey(tx, after) };
    });
    return { key, ...(await this.feed.propagation(ticket)) };
  }

  /**
   * Revokes deployment keys in one transaction, then waits for the gateways once, 1 s at most. Numbers that the account does not
   * have are left out.
   * @throws ServiceError `account_not_found`, `not_permitted`
   */
  async revokeAll(account: AccountId, ids: readonly KeyId[], by: KeyAction): Promise<RevokedKeys> {
    const { revoked, ticket } = await this.transactions.run(async (tx) => {
      const actorName = await this.authority.require(tx, account, by.actor, 'change');
      let last: string | null = null;
      const found: KeyId[] = [];
      // In the order of their numbers: two callers who revoke the same keys do not wait for each other.
      for (const before of await this.keys.lockAll(tx, account, ids)) {
        const after = await this.keys.change(tx, before, { state: 'revoked' });
        await this.#record(tx, after, { ...by, actorName, facts: {} });
        last = await this.feed.putKey(tx, after);
        found.push(after.id);
      }
      return { revoked: new Set(found), ticket: last };
    });
    // Changes of one transaction are published in their order, so the last one confirms them all.
    const propagation = ticket === null ? { propagated: true, missing: [] } : await this.feed.propagation(ticket);
    return { revoked, ...propagation };
  }

  /** The MCP key counts towards no quota: an account has one at most. */
  async #insert(tx: Tx, key: NewKey): Promise<StoredKey | null> {
    const insert = (): Promise<StoredKey | null> => this.keys.insert(tx, key);
    if (key.stored.kind !== 'mcp') return this.quotas.admit(tx, key.account, 'keys', insert);
    await this.authority.lockAccount(tx, key.account);
    return insert();
  }

  async #lock(tx: Tx, { account, key }: KeyTarget): Promise<StoredKey> {
    if (key === 'mcp') {
      await this.authority.requireAccount(tx, account);
      const found = await this.keys.lockMcp(tx, account);
      if (found === null) throw new ServiceError('key_not_found', 'This account has no MCP key yet; create it.', { param: 'account' });
      return found;
    }
    const found = await this.keys.lock(tx, account, key);
    if (found === null) throw keyNotFound();
    return found;
  }

  /** A person's role is checked before anything of the account is read. */
  async #authorize(tx: Tx, account: AccountId, { actor }: KeyAction): Promise<string | null> {
    return actor?.kind === 'user' ? this.authority.require(tx, account, actor, 'change') : null;
  }

  async #record(tx: Tx, key: StoredKey, entry: KeyAction & { actorName: string | null; facts: AuditEntry['facts'] }): Promise<void> {
    await this.audit.record(tx, { ...entry, account: key.account, object: `key:${key.id}`, objectName: key.name });
  }
}

/** The error for a key of another account and for a key that does not exist. */
export const keyNotFound = (): ServiceError =>
  new ServiceError('key_not_found', 'This account has no deployment key of this number.', { param: 'key' });

/** Gateways refuse a key from this time on. */
export const isExpired = ({ expiresAt }: { readonly expiresAt: Date | null }): boolean =>
  expiresAt !== null && expiresAt.getTime() <= Date.now();

function requireRotatable(key: StoredKey, expiresAt: Date | null | undefined): void {
  if (key.state === 'revoked') {
    throw new ServiceError('key_revoked', 'This key is revoked for good; create another one.', { param: 'key' });
  }
  if (expiresAt === undefined && isExpired(key)) {
    throw new ServiceError('key_expired', 'This key has expired; rotate it with a new expiry, or create another one.', { param: 'key' });
  }
}

/** Changed limits, deployments and expiry before and after, as the audit log shows them. */
const changedFacts = (before: StoredKey, { limits, deployments, expiresAt }: KeyChange): AuditEntry['facts'] => ({
  ...(limits && changesOf(before.limits, limits, 'none')),
  ...(deployments !== undefined && { deployments: `${listOf(before.deployments)} → ${listOf(deployments)}` }),
  ...(expiresAt !== undefined && { expires_at: `${expiryOf(before.expiresAt)} → ${expiryOf(expiresAt)}` }),
});

const expiryOf = (expiresAt: Date | null): string => expiresAt?.toISOString() ?? 'never';

const listOf = (deployments: StoredKey['deployments']): string => deployments?.join(', ') ?? 'all';
