import { createHash, createHmac, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { AccountId } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { CONFIG, SecretVault } from '@slipway/platform';
import type { TuningServiceConfig } from '../config.js';

/** Most keys of accounts that are kept in memory. */
const REMEMBERED_MAX = 1_000;

/**
 * Secrets of this installation, the same in all replicas: the key that signs tickets, and a key for each account that seals its blobs.
 * With the row of an account's key goes all that was sealed with it.
 */
@Injectable()
export class InstallationSecrets {
  readonly #vault: SecretVault | null;
  readonly #keys = new Map<AccountId, Promise<Buffer>>();
  #signing: Promise<Buffer> | undefined;

  constructor(
    private readonly transactions: Transactions,
    @Inject(CONFIG) private readonly config: TuningServiceConfig,
  ) {
    this.#vault = config.SLIPWAY_SECRET_KEY === undefined ? null : new SecretVault(config.SLIPWAY_SECRET_KEY);
  }

  /** True where blobs are sealed. */
  get seals(): boolean {
    return this.#vault !== null;
  }

  /** Signs tickets. Derived from the newest secret key, or stored in the database where there is none. */
  signing(): Promise<Buffer> {
    this.#signing ??= this.#makeSigning().catch((error: unknown) => {
      this.#signing = undefined;
      throw error;
    });
    return this.#signing;
  }

  /**
   * Seals the account's blobs; null where no secret key is set.
   * @throws UnreadableSecretError when the stored key was sealed with a secret key that is not set
   */
  async keyOf(account: AccountId): Promise<Buffer | null> {
    const vault = this.#vault;
    if (vault === null) return null;
    const known = this.#keys.get(account);
    if (known) return known;
    const key = this.#stored(`account:${account}`, () => vault.seal(randomBytes(32).toString('hex'), `account:${account}`)).then((sealed) =>
      Buffer.from(vault.open(sealed, `account:${account}`), 'hex'),
    );
    key.catch(() => this.#keys.delete(account));
    this.#keys.set(account, key);
    const [oldest] = this.#keys.keys();
    if (this.#keys.size > REMEMBERED_MAX && oldest !== undefined) this.#keys.delete(oldest);
    return key;
  }

  /** Seals a text of an account for a column of the database; unchanged where no secret key is set. */
  sealText(account: AccountId, text: string): string {
    return this.#vault === null ? `plain:${text}` : this.#vault.seal(text, `account:${account}`);
  }

  /** @throws UnreadableSecretError when it was changed or its secret key is not set */
  openText(account: AccountId, stored: string): string {
    if (stored.startsWith('plain:')) return stored.slice('plain:'.length);
    if (this.#vault === null) throw new Error('This text was sealed, and no SLIPWAY_SECRET_KEY is set.');
    return this.#vault.open(stored, `account:${account}`);
  }

  async #makeSigning(): Promise<Buffer> {
    const [newest] = this.config.SLIPWAY_SECRET_KEY?.split(',') ?? [];
    if (newest !== undefined) return createHmac('sha256', Buffer.from(newest, 'hex')).update('slipway tickets').digest();
    const stored = await this.#stored('tickets', () => randomBytes(32).toString('hex'));
    return createHash('sha256').update(stored).digest();
  }

  async #stored(name: string, make: () => string): Promise<string> {
    const find = `SELECT value FROM secret WHERE name = $1`;
    return this.transactions.read(async (connection) => {
      const [found] = await connection.query<{ value: string }[]>(find, [name]);
      if (found) return found.value;
      await connection.query(`INSERT INTO secret (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [name, make()]);
      const [made] = await connection.query<[{ value: string }]>(find, [name]);
      return made.value;
    });
  }
}
