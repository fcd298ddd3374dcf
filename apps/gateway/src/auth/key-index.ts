import type { AccountFeedRecord, AccountId, ApiKeyFeedRecord, KeyFeedRecord, KeyId } from '@slipway/contracts';
import type { FeedRenewal, FeedSink } from '@slipway/feed';

interface Tables {
  readonly accounts: Map<AccountId, AccountFeedRecord>;
  readonly slugs: Map<string, AccountId>;
  readonly keys: Map<KeyId, ApiKeyFeedRecord>;
  readonly macs: Map<string, KeyId>;
  readonly revokedMacs: Set<string>;
  readonly budgeted: Map<string, KeyFeedRecord>;
}

const emptyTables = (): Tables => ({
  accounts: new Map(),
  slugs: new Map(),
  keys: new Map(),
  macs: new Map(),
  revokedMacs: new Set(),
  budgeted: new Map(),
});

/** In-memory index of accounts and keys, filled by the key feed. */
export class KeyIndex implements FeedSink<KeyFeedRecord> {
  #tables = emptyTables();

  #budgetSet: () => void = () => undefined;

  /** @param listener called when a key or account gets its first budget */
  whenBudgetIsSet(listener: () => void): void {
    this.#budgetSet = listener;
  }

  #accountEnds: (account: AccountId) => void = () => undefined;

  /** @param listener called when an account is gone or suspended */
  whenAccountEnds(listener: (account: AccountId) => void): void {
    this.#accountEnds = listener;
  }

  /** Number of keys, for the metrics. */
  get size(): number {
    return this.#tables.keys.size;
  }

  renew(): FeedRenewal<KeyFeedRecord> {
    const tables = emptyTables();
    return {
      put: (id, record) => put(tables, id, record),
      swap: () => {
        this.#tables = tables;
      },
    };
  }

  /** @param id `<type>:<id>` */
  put(id: string, record: KeyFeedRecord): void {
    const isNew = hasBudget(record) && !this.#tables.budgeted.has(id);
    put(this.#tables, id, record);
    if (isNew) this.#budgetSet();
    if (record.type === 'account' && record.state !== 'active') this.#accountEnds(record.id);
  }

  remove(id: string): void {
    this.#tables.budgeted.delete(id);
    const [type, number] = id.split(':');
    if (type === 'account') this.#dropAccount(Number(number) as AccountId);
    else if (type === 'key') dropKey(this.#tables, Number(number) as KeyId);
  }

  #dropAccount(id: AccountId): void {
    dropAccount(this.#tables, id);
    this.#accountEnds(id);
  }

  /** Keys and accounts with a budget of tokens. */
  budgeted(): Iterable<KeyFeedRecord> {
    return this.#tables.budgeted.values();
  }

  /** Finds a key that is not revoked. */
  keyByMac(mac: string): ApiKeyFeedRecord | undefined {
    const id = this.#tables.macs.get(mac);
    return id === undefined ? undefined : this.#tables.keys.get(id);
  }

  isRevoked(mac: string): boolean {
    return this.#tables.revokedMacs.has(mac);
  }

  key(id: KeyId): ApiKeyFeedRecord | undefined {
    return this.#tables.keys.get(id);
  }

  account(id: AccountId): AccountFeedRecord | undefined {
    return this.#tables.accounts.get(id);
  }

  accountBySlug(slug: string): AccountFeedRecord | undefined {
    const id = this.#tables.slugs.get(slug);
    return id === undefined ? undefined : this.#tables.accounts.get(id);
  }
}

function put(tables: Tables, id: string, record: KeyFeedRecord): void {
  if (hasBudget(record)) tables.budgeted.set(id, record);
  else tables.budgeted.delete(id);
  if (record.type === 'account') {
    dropAccount(tables, record.id);
    tables.accounts.set(record.id, record);
    tables.slugs.set(record.slug, record.id);
    return;
  }
  // A rotated key keeps its id; its old MAC is removed in the same step.
  dropKey(tables, record.id);
  tables.keys.set(record.id, record);
  // A revoked key is not found by its MAC, so that it takes as long as an unknown one.
  if (record.state === 'active') tables.macs.set(record.mac, record.id);
  else tables.revokedMacs.add(record.mac);
}

function dropAccount({ accounts, slugs }: Tables, id: AccountId): void {
  const account = accounts.get(id);
  if (!account) return;
  accounts.delete(id);
  slugs.delete(account.slug);
}

function dropKey({ keys, macs, revokedMacs }: Tables, id: KeyId): void {
  const key = keys.get(id);
  if (!key) return;
  keys.delete(id);
  if (macs.get(key.mac) === id) macs.delete(key.mac);
  revokedMacs.delete(key.mac);
}

const hasBudget = ({ limits }: KeyFeedRecord): boolean =>
  limits !== undefined && (limits.tokens_per_day !== undefined || limits.tokens_per_month !== undefined);
