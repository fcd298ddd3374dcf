import { type AccountId, type Actor, ServiceError } from '@slipway/contracts';
import type { AccountTransactions } from './account-transactions.js';
import { changesOf, type AuditLog } from './audit/audit-log.js';
import type { Transactions, Tx } from './transactions.js';

/** A number for each quota: in use, or allowed. */
export type QuotaCounts<Name extends string> = Readonly<Record<Name, number>>;
/** Quotas that an operator set for an account. */
type OwnQuotas<Name extends string> = { [name in Name]?: number | undefined };

/** The tables of a service's quotas. */
export interface QuotaTables<Name extends string> {
  /** What the account has now. */
  used(connection: Tx, account: AccountId): Promise<QuotaCounts<Name>>;
  /** The quotas that an operator set for the account. */
  find(connection: Tx, account: AccountId): Promise<OwnQuotas<Name>>;
  set(tx: Tx, account: AccountId, quotas: OwnQuotas<Name>): Promise<void>;
}

/** What `CountedQuotas` needs. */
export interface CountedQuotasOptions<Name extends string> {
  readonly transactions: Transactions;
  readonly accounts: AccountTransactions;
  readonly audit: AuditLog;
  readonly tables: QuotaTables<Name>;
  readonly defaults: QuotaCounts<Name>;
  /** What each quota counts, for the refusal: `running jobs`. */
  readonly things: Readonly<Record<Name, string>>;
  /** The request field that asks for more. */
  readonly params?: Readonly<Partial<Record<Name, string>>>;
}

/** The account whose quotas an operator sets; null = back to the default. */
interface QuotaChange<Name extends string> {
  readonly account: AccountId;
  readonly quotas: { readonly [name in Name]?: number | null | undefined };
  readonly actor?: Actor | undefined;
}

/** The quotas of an account and their use. */
interface Described<Name extends string> {
  readonly quotas: OwnQuotas<Name>;
  /** Quotas that apply where none was set. */
  readonly defaults: QuotaCounts<Name>;
  readonly used: QuotaCounts<Name>;
}

/** Checks, shows and sets the quotas that one service counts. */
export class CountedQuotas<Name extends string> {
  constructor(protected readonly options: CountedQuotasOptions<Name>) {}

  /** Locks the account's quotas until the transaction ends, before it locks other rows of the account. */
  async lock(tx: Tx, account: AccountId): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`quota:${account}`]);
  }

  /** The quotas that apply to the account. */
  async of(connection: Tx, account: AccountId): Promise<Record<Name, number>> {
    const { tables, defaults } = this.options;
    const own = await tables.find(connection, account);
    const names = Object.keys(defaults) as Name[];
    return Object.fromEntries(names.map((name) => [name, own[name] ?? defaults[name]])) as Record<Name, number>;
  }

  /** What the account has now. */
  used(connection: Tx, account: AccountId): Promise<QuotaCounts<Name>> {
    return this.options.tables.used(connection, account);
  }

  /**
   * Checks that the account may have what a transaction adds, and locks its quotas until the transaction ends. Call it before the
   * transaction locks other rows of the account.
   * @throws ServiceError `quota_exceeded` with the quota and the present use
   */
  async claim(tx: Tx, account: AccountId, added: Partial<Record<Name, number>>): Promise<void> {
    await this.lock(tx, account);
    const [used, quotas] = [await this.used(tx, account), await this.of(tx, account)];
    for (const [name, more = 0] of Object.entries(added) as [Name, number | undefined][]) {
      if (more > 0 && used[name] + more > quotas[name]) throw this.exceeded(name, { quota: quotas[name], used: used[name], more });
    }
  }

  /** The quotas of an account, those that an operator set apart, and their use. */
  find({ account }: { account: AccountId }): Promise<Described<Name>> {
    return this.options.accounts.read(account, (connection) => this.#describe(connection, account));
  }

  /** Sets quotas of an account; what exists stays, even beyond a quota. */
  async set({ account, quotas: changes, actor }: QuotaChange<Name>): Promise<Described<Name>> {
    const { transactions, tables, audit } = this.options;
    // Not through AccountTransactions: a busy account must not keep the operator waiting.
    return transactions.run(async (tx) => {
      await this.lock(tx, account);
      const before = await tables.find(tx, account);
      const entries = Object.entries<number | null | undefined>({ ...before, ...changes });
      const next = Object.fromEntries(entries.filter(([, quota]) => typeof quota === 'number')) as OwnQuotas<Name>;
      await tables.set(tx, account, next);
      const facts = changesOf(before, next, 'default');
      await audit.record(tx, { account, actor, action: 'quotas.set', object: `account:${account}`, facts });
      return this.#describe(tx, account);
    });
  }

  /** The refusal of what a quota does not allow. */
  protected exceeded(name: Name, { quota, used, more }: { quota: number; used: number; more?: number }): ServiceError {
    const wanted = more === 1 ? 'one more' : `${more ?? ''} more`.trim();
    return new ServiceError(
      'quota_exceeded',
      `This account has ${used} ${this.options.things[name]} and may have ${quota}: there is no room for ${wanted}. ` +
        'The operator can raise the quota.',
      { param: this.options.params?.[name], facts: { quota, used } },
    );
  }

  async #describe(tx: Tx, account: AccountId): Promise<Described<Name>> {
    const { tables, defaults } = this.options;
    return { quotas: await tables.find(tx, account), defaults, used: await tables.used(tx, account) };
  }
}
