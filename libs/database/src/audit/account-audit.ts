import type { AccountId, AuditEntry, SealedAuditEntry } from '@slipway/contracts';
import { idOf, pageOf } from '@slipway/platform';
import { AccountTransactions } from '../account-transactions.js';
import { Transactions } from '../transactions.js';
import { readAuditChain } from './audit-chain.js';
import { type AuditFilters, AuditLog } from './audit-log.js';

const PAGE_ROWS = 200;

/** Reads a service's audit log, within the bounds on the database work of accounts. */
export class AccountAudit {
  /** Provider of a module that has `AccountTransactions`. */
  static readonly provider = {
    provide: AccountAudit,
    useFactory: (...parts: ConstructorParameters<typeof AccountAudit>): AccountAudit => new AccountAudit(...parts),
    inject: [AuditLog, Transactions, AccountTransactions],
  };

  constructor(
    private readonly audit: AuditLog,
    private readonly transactions: Transactions,
    private readonly accounts: AccountTransactions,
  ) {}

  /** A page of an account's entries that match all filters, newest first. */
  async list(account: AccountId, filters: AuditFilters): Promise<{ entries: AuditEntry[]; next: number | null }> {
    const query = { ...filters, limit: PAGE_ROWS + 1 };
    const rows = await this.accounts.read(account, (connection) => this.audit.page(connection, account, query));
    const { items: entries, next } = pageOf(rows, PAGE_ROWS, idOf);
    return { entries, next };
  }

  /** A page of all entries in the order of their hash chain, after the number `after`. */
  chain(after: number): Promise<{ entries: SealedAuditEntry[]; unsealed: number[] }> {
    return this.transactions.read((connection) => readAuditChain(connection, after));
  }
}
