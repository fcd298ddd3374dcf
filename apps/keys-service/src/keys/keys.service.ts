import { Injectable } from '@nestjs/common';
import { type AccountId, type Actor, type DeploymentId, type KeyId, type Limits, ServiceError } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import { type Page, pageOf } from '../shared/page.js';
import { PlaygroundKeysRepository } from '../identity/playground-keys.repository.js';
import { KeyChanges, type ObeyedChange } from './key-changes.service.js';
import { isExpired, requireFuture } from './key-expiry.js';
import { KeyMint } from '../shared/key-minting.js';
import { KeysRepository, type StoredKey } from './keys.repository.js';

/** What every call on one key names. */
export interface KeyAddress {
  readonly account: AccountId;
  readonly key: KeyId;
}

/** What a new deployment key is asked to be. */
export interface KeyWish {
  readonly account: AccountId;
  readonly name: string;
  readonly expiresAt: Date | null;
  /** The only ones that it may call; null or absent = all of the account. */
  readonly deployments?: DeploymentId[] | null | undefined;
  readonly limits?: Limits | undefined;
}

/** Deployment keys of accounts. A value exists in the reply that makes it, and nowhere else. */
@Injectable()
export class KeysService {
  constructor(
    private readonly transactions: Transactions,
    private readonly keys: KeysRepository,
    private readonly mint: KeyMint,
    private readonly changes: KeyChanges,
    private readonly playground: PlaygroundKeysRepository,
  ) {}

  async create(wish: KeyWish, actor?: Actor): Promise<ObeyedChange & { readonly value: string }> {
    requireFuture(wish.expiresAt);
    const { value, stored } = this.mint.mint('dep');
    const created = await this.changes.create({ ...wish, stored }, { actor, action: 'key.create' });
    if (created === null) throw new Error('The key was not stored.');
    return { value, ...created };
  }

  /** Numbers of the keys by which the playground calls, which no list holds. */
  playgroundKeys(account: AccountId): Promise<KeyId[]> {
    return this.transactions.read((connection) => this.playground.numbersOf(connection, account));
  }

  /** Newest first, below the number `before`. */
  list(account: AccountId, before: KeyId | null): Promise<Page<StoredKey>> {
    return this.transactions.read(async (connection) => {
      await this.changes.requireAccountOnce(connection, account);
      return pageOf((limit) => this.keys.list(connection, account, { before, limit }));
    });
  }

  async rename({ account, key: id }: KeyAddress, name: string, actor?: Actor): Promise<StoredKey> {
    const renamed = await this.changes.rename({ account, id, name }, { actor, action: 'key.rename' });
    if (renamed === null) throw keyNotFound();
    return renamed;
  }

  /**
   * The old value dies in the change that makes the new one.
   * @param expiresAt undefined = as it was.
   */
  async rotate(address: KeyAddress, expiresAt?: Date | null, actor?: Actor): Promise<ObeyedChange & { readonly value: string }> {
    requireFuture(expiresAt);
    const { value, stored } = this.mint.mint('dep');
    const { mac, pepper, hint } = stored;
    const rotated = await this.changes.change(address.account, { actor, action: 'key.rotate' }, async (tx) => {
      const held = await this.#hold(tx, address);
      requireRotatable(held, expiresAt);
      return { held, change: { mac, pepper, hint, ...(expiresAt !== undefined && { expiresAt }) } };
    });
    return { value, ...rotated };
  }

  /** A key that is revoked already is told to the gateways again, so that the answer speaks of now. */
  revoke(address: KeyAddress, actor?: Actor): Promise<ObeyedChange> {
    const choose = async (tx: Tx): Promise<{ held: StoredKey; change: { state: 'revoked' } }> => ({
      held: await this.#hold(tx, address),
      change: { state: 'revoked' },
    });
    return this.changes.change(address.account, { actor, action: 'key.revoke' }, choose);
  }

  /** Limits replace those that were there; what was used counts on. */
  setLimits(address: KeyAddress, limits: Limits, actor?: Actor): Promise<ObeyedChange> {
    return this.changes.change(address.account, { actor, action: 'key.limits' }, async (tx) => ({
      held: await this.#hold(tx, address),
      change: { limits },
    }));
  }

  /** Numbers of deployments are not checked: a key opens nothing of another account, whatever it names. */
  setDeployments(address: KeyAddress, deployments: DeploymentId[] | null, actor?: Actor): Promise<ObeyedChange> {
    return this.changes.change(address.account, { actor, action: 'key.deployments' }, async (tx) => ({
      held: await this.#hold(tx, address),
      change: { deployments },
    }));
  }

  async #hold(tx: Tx, { account, key }: KeyAddress): Promise<StoredKey> {
    const held = await this.keys.lock(tx, account, key);
    if (held === null) throw keyNotFound();
    return held;
  }
}

function requireRotatable(key: StoredKey, expiresAt: Date | null | undefined): void {
  if (key.state === 'revoked') {
    throw new ServiceError('key_revoked', 'This key is revoked for good; create another one.', { param: 'key' });
  }
  if (expiresAt === undefined && isExpired(key)) {
    throw new ServiceError('key_expired', 'This key has expired; rotate it with a new expiry, or create another one.', { param: 'key' });
  }
}

/** The same words for another account's key and for none. */
const keyNotFound = (): ServiceError =>
  new ServiceError('key_not_found', 'This account has no deployment key of this number.', { param: 'key' });
