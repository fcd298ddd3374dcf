import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ListAudit, ReadAudit } from '@slipway/contracts';
import { AuditLog, readAuditChain, Transactions } from '@slipway/database';
import { fitting, RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { Authority } from './authority.service.js';

const PAGE_ROWS = 200;

/** The audit log, for owners and operators. */
@Controller()
export class AuditHandlers {
  constructor(
    private readonly transactions: Transactions,
    private readonly authority: Authority,
    private readonly audit: AuditLog,
  ) {}

  /** Entries of one account with numbers below `before`, newest first. */
  @RpcHandler(ListAudit)
  list(@Payload() { account, before, actor }: z.output<typeof ListAudit.request>): Promise<z.input<typeof ListAudit.reply>> {
    return this.transactions.read(async (connection) => {
      // Operators can also read the log of a deleted account.
      if (actor.kind === 'ops') await this.authority.requireAccountOrDeleted(connection, account);
      else await this.authority.require(connection, account, actor, 'manage');
      const rows = await this.audit.page(connection, account, { before: before ?? null, limit: PAGE_ROWS + 1 });
      const entries = [...fitting(rows.slice(0, PAGE_ROWS))];
      return { entries, next: rows.length > entries.length ? (entries.at(-1)?.id ?? null) : null };
    });
  }

  /** The whole log in the order of its chain, behind the number `after`. */
  @RpcHandler(ReadAudit)
  chain(@Payload() { after }: z.output<typeof ReadAudit.request>): Promise<z.input<typeof ReadAudit.reply>> {
    return this.transactions.read((connection) => readAuditChain(connection, after));
  }
}
