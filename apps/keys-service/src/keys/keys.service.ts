import { Injectable } from '@nestjs/common';
import { type AccountId, type Actor, type DeploymentId, type KeyId, type Limits, ServiceError } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { Authority } from '../identity/authority.service.js';
import { ShortLivedKeysRepository } from '../identity/short-lived-keys.repository.js';
import type { StoredKey } from '../shared/key-feed.repository.js';
import { KeyMint } from '../shared/key-minting.js';
import { type Page, readPage } from '../shared/page.js';
import { type ChangedKey, isExpired, type IssuedKey, KeyChanges, keyNotFound, type RevokedKeys } from './key-changes.service.js';
import { KeysRepository, type NewKey } from './keys.repository.js';

/** One deployment key. */
export interface KeyAddress {
  readonly account: AccountId;
  readonly key: KeyId;
}

/** Deployment keys of accounts. A key's value is in the reply that issues it, and is stored nowhere. */
@Injectable()
export class KeysService {
  constructor(
    private readonly transactions: Transactions,
    private readonly keys: KeysRepository,
    private readonly mint: KeyMint,
    private readonly changes: KeyChanges,
    private readonly authority: Authority,
    private readonly shortLived: ShortLivedKeysRepository,
  ) {}

  /** @throws ServiceError `invalid_request` for an expiry in the past, and what `KeyChanges.create` throws */
  async create(key: Omit<NewKey, 'stored' | 'createdBy'>, actor?: Actor): Promise<IssuedKey> {
    requireFuture(key.expiresAt);
    const { value, stored } = this.mint.mint('dep');
    const created = await this.changes.create({ ...key, stored }, { actor, action: 'key.create' });
    if (created === null) throw new Error('The key was not stored.');
    return { value, ...created };
  }

  /** Numbers of the account's keys of the playground and of evaluations, which are not in its list. */
  unlistedKeys(account: AccountId): Promise<{ playground: KeyId[]; evaluation: KeyId[] }> {
    return this.transactions.read(async (connection) => ({
      playground: await this.shortLived.idsOf(connection, account, 'playground'),
      evaluation: await this.shortLived.idsOf(connection, account, 'evaluation'),
    }));
  }

  /** Newest first, with numbers below `before`. Also of a deleted account, whose usage names its keys. @throws ServiceError `account_not_found` */
  list(account: AccountId, before: KeyId | null): Promise<Page<StoredKey>> {
    return this.transactions.read(async (connection) => {
      await this.authority.requireAccountOrDeleted(connection, account);
      const { items, next } = await readPage((limit) => this.keys.list(connection, account, { before, limit }));
      return { items: await this.keys.withCreators(connection, items), next };
    });
  }

  /** One key, also of a deleted account. @throws ServiceError `account_not_found`, `key_not_found` */
  find({ account, key }: KeyAddress): Promise<StoredKey> {
    return this.transactions.read(async (connection) => {
      await this.authority.requireAccountOrDeleted(connection, account);
      const found = await this.keys.find(connection, account, key);
      if (found === null) throw keyNotFound();
      const [named = found] = await this.keys.withCreators(connection, [found]);
      return named;
    });
  }

  /** @throws ServiceError `key_not_found`, `not_permitted` */
  rename(address: KeyAddress, name: string, actor?: Actor): Promise<StoredKey> {
    return this.changes.rename(address, name, { actor, action: 'key.rename' });
  }

  /**
   * Replaces the key's value; the old value is invalid from the commit on.
   * @param expiresAt undefined = unchanged
   * @throws ServiceError `invalid_request` for an expiry in the past, `key_revoked`, `key_expired`
   */
  async rotate(address: KeyAddress, expiresAt?: Date | null, actor?: Actor): Promise<IssuedKey> {
    requireFuture(expiresAt);
    const { value, stored } = this.mint.mint('dep');
    const { mac, pepper, hint } = stored;
    const change = { mac, pepper, hint, ...(expiresAt !== undefined && { expiresAt }) };
    return { value, ...(await this.changes.change(address, change, { actor, action: 'key.rotate' })) };
  }

  /** A key that is already revoked is published again, so that the reply states what gateways apply now. */
  revoke(address: KeyAddress, actor?: Actor): Promise<ChangedKey> {
    return this.changes.change(address, { state: 'revoked' }, { actor, action: 'key.revoke' });
  }

  /** As `revoke`, for several keys of an account. @throws ServiceError `account_not_found`, `not_permitted` */
  revokeAll(account: AccountId, keys: readonly KeyId[], actor?: Actor): Promise<RevokedKeys> {
    return this.changes.revokeAll(account, keys, { actor, action: 'key.revoke' });
  }

  /**
   * Sets the expiry of a key that has not expired.
   * @param expiresAt null = never
   * @throws ServiceError `invalid_request` for an expiry in the past, `key_not_found`, `key_revoked`, `key_expired`, `not_permitted`
   */
  async setExpiry(address: KeyAddress, expiresAt: Date | null, actor?: Actor): Promise<ChangedKey> {
    requireFuture(expiresAt);
    return this.changes.change(address, { expiresAt }, { actor, action: 'key.expiry' });
  }

  /** Replaces all limits; what was used already still counts. */
  setLimits(address: KeyAddress, limits: Limits, actor?: Actor): Promise<ChangedKey> {
    return this.changes.change(address, { limits }, { actor, action: 'key.limits' });
  }

  /** The numbers are not checked: a key opens no deployment of another account, whatever it names. */
  setDeployments(address: KeyAddress, deployments: DeploymentId[] | null, actor?: Actor): Promise<ChangedKey> {
    return this.changes.change(address, { deployments }, { actor, action: 'key.deployments' });
  }
}

function requireFuture(expiresAt: Date | null | undefined): void {
  if (isExpired({ expiresAt: expiresAt ?? null })) {
    throw new ServiceError('invalid_request', 'This expiry is in the past.', { param: 'expires_at' });
  }
}
