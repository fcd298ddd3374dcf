import type { AccountFeedRecord, AccountId, ApiKeyFeedRecord, KeyFeedRecord, KeyId } from '@slipway/contracts';
import type { FeedSink } from '@slipway/feed';

/** Accounts and keys in memory, as the key feed tells them. */
export class KeyIndex implements FeedSink<KeyFeedRecord> {
  readonly #accounts = new Map<AccountId, AccountFeedRecord>();
  readonly #slugs = new Map<string, AccountId>();
  readonly #keys = new Map<KeyId, ApiKeyFeedRecord>();
  readonly #macs = new Map<string, KeyId>();
  readonly #revokedMacs = new Set<string>();
  readonly #budgeted = new Map<string, KeyFeedRecord>();

  /** Number of keys, for the metrics. */
  get size(): number {
    return this.#keys.size;
  }

  replaceAll(records: readonly { readonly id: string; readonly rec: KeyFeedRecord }[]): void {
    for (const map of [this.#accounts, this.#slugs, this.#keys, this.#macs, this.#revokedMacs, this.#budgeted]) map.clear();
    for (const { id, rec } of records) this.put(id, rec);
  }

  /** @param id `<type>:<id>`, as changes name their records. */
  put(id: string, record: KeyFeedRecord): void {
    // A rotated key keeps its id: the old value must stop working in the same step.
    this.remove(id);
    if (hasBudget(record)) this.#budgeted.set(id, record);
    if (record.type === 'account') {
      this.#accounts.set(record.id, record);
      this.#slugs.set(record.slug, record.id);
      return;
    }
    this.#keys.set(record.id, record);
    // A revoked key is not found: refusing it takes no longer than refusing one that never was.
    if (record.state === 'active') this.#macs.set(record.mac, record.id);
    else this.#revokedMacs.add(record.mac);
  }

  remove(id: string): void {
    this.#budgeted.delete(id);
    const [type, number] = id.split(':');
    if (type === 'account') {
      const account = this.#accounts.get(Number(number) as AccountId);
      if (!account) return;
      this.#accounts.delete(account.id);
      this.#slugs.delete(account.slug);
    } else if (type === 'key') {
      const key = this.#keys.get(Number(number) as KeyId);
      if (!key) return;
      this.#keys.delete(key.id);
      if (this.#macs.get(key.mac) === key.id) this.#macs.delete(key.mac);
      this.#revokedMacs.delete(key.mac);
    }
  }

  /** Keys and accounts with a budget of tokens. */
  budgeted(): Iterable<KeyFeedRecord> {
    return this.#budgeted.values();
  }

  /** Of the keys that are not revoked. */
  keyByMac(mac: string): ApiKeyFeedRecord | undefined {
    const id = this.#macs.get(mac);
    return id === undefined ? undefined : this.#keys.get(id);
  }

  isRevoked(mac: string): boolean {
    return this.#revokedMacs.has(mac);
  }

  key(id: KeyId): ApiKeyFeedRecord | undefined {
    return this.#keys.get(id);
  }

  account(id: AccountId): AccountFeedRecord | undefined {
    return this.#accounts.get(id);
  }

  accountBySlug(slug: string): AccountFeedRecord | undefined {
    const id = this.#slugs.get(slug);
    return id === undefined ? undefined : this.#accounts.get(id);
  }
}

const hasBudget = ({ limits }: KeyFeedRecord): boolean =>
  limits !== undefined && (limits.tokens_per_day !== undefined || limits.tokens_per_month !== undefined);
