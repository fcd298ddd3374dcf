import { Injectable } from '@nestjs/common';
import type { AccountId, AuditEntry, SealedAuditEntry } from '@slipway/contracts';
import { AuditLog, readAuditChain, Transactions } from '@slipway/database';
import { fitting } from '@slipway/platform';
import { AccountTransactions } from '../quotas/account-transactions.js';

const PAGE_ROWS = 200;

/** What was done to the deployments and aliases of an account. */
@Injectable()
export class AuditService {
  readonly #audit = new AuditLog();

  constructor(
    private readonly transactions: Transactions,
    private readonly accounts: AccountTransactions,
  ) {}

  /** Newest first, below the number `before`. */
  async list(account: AccountId, before: number | null): Promise<{ entries: AuditEntry[]; next: number | null }> {
    const rows = await this.accounts.read(account, (connection) => this.#audit.page(connection, account, { before, limit: PAGE_ROWS + 1 }));
    const entries = [...fitting(rows.slice(0, PAGE_ROWS))];
    return { entries, next: rows.length > entries.length ? (entries.at(-1)?.id ?? null) : null };
  }

  /** The whole log in the order of its chain, behind the number `after`. */
  chain(after: number): Promise<{ entries: SealedAuditEntry[]; unsealed: number[] }> {
    return this.transactions.read((connection) => readAuditChain(connection, after));
  }
}
