import { Controller, Injectable, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { type AccountId, type AuditEntry, ListTuningAudit, ReadTuningAudit, type SealedAuditEntry } from '@slipway/contracts';
import { AccountTransactions, type AuditFilters, AuditLog, readAuditChain, Transactions } from '@slipway/database';
import { fitting } from '@slipway/platform';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { QuotasModule } from '../quotas/quotas.module.js';

const PAGE_ROWS = 200;

/** Reads the audit log of data sets, jobs and adapters. */
@Injectable()
class AuditService {
  readonly #audit = new AuditLog();

  constructor(
    private readonly transactions: Transactions,
    private readonly accounts: AccountTransactions,
  ) {}

  /** A page of an account's entries that match all filters, newest first. */
  async list(account: AccountId, filters: AuditFilters): Promise<{ entries: AuditEntry[]; next: number | null }> {
    const query = { ...filters, limit: PAGE_ROWS + 1 };
    const rows = await this.accounts.read(account, (connection) => this.#audit.page(connection, account, query));
    const entries = [...fitting(rows.slice(0, PAGE_ROWS))];
    return { entries, next: rows.length > entries.length ? (entries.at(-1)?.id ?? null) : null };
  }

  /** A page of all entries in the order of their hash chain, after the number `after`. */
  chain(after: number): Promise<{ entries: SealedAuditEntry[]; unsealed: number[] }> {
    return this.transactions.read((connection) => readAuditChain(connection, after));
  }
}

@Controller()
class AuditHandlers {
  constructor(private readonly audit: AuditService) {}

  @RpcHandler(ListTuningAudit)
  list(@Payload() { account, ...filters }: z.output<typeof ListTuningAudit.request>): Promise<z.input<typeof ListTuningAudit.reply>> {
    return this.audit.list(account, filters);
  }

  @RpcHandler(ReadTuningAudit)
  chain(@Payload() { after }: z.output<typeof ReadTuningAudit.request>): Promise<z.input<typeof ReadTuningAudit.reply>> {
    return this.audit.chain(after);
  }
}

@Module({ imports: [QuotasModule], controllers: [AuditHandlers], providers: [AuditService] })
export class AuditModule {}
