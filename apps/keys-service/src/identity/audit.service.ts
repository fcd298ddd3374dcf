import { Injectable } from '@nestjs/common';
import type { AccountId, Actor, AuditEntry, SealedAuditEntry } from '@slipway/contracts';
import { AuditLog, readAuditChain, Transactions } from '@slipway/database';
import { fitting } from '@slipway/platform';
import { Authority } from './authority.service.js';

const PAGE_ROWS = 200;

/** Lets owners and operators read what was done in an account. */
@Injectable()
export class AuditService {
  constructor(
    private readonly transactions: Transactions,
    private readonly authority: Authority,
    private readonly audit: AuditLog,
  ) {}

  /** Newest first, below the number `before`. */
  list(account: AccountId, actor: Actor, before: number | null): Promise<{ entries: AuditEntry[]; next: number | null }> {
    return this.transactions.read(async (connection) => {
      // Operators read the log of a deleted account, too.
      if (actor.kind === 'ops') await this.authority.requireAccountOnce(connection, account);
      else await this.authority.require(connection, account, actor, 'manage');
      const rows = await this.audit.page(connection, account, { before, limit: PAGE_ROWS + 1 });
      const entries = [...fitting(rows.slice(0, PAGE_ROWS))];
      return { entries, next: rows.length > entries.length ? (entries.at(-1)?.id ?? null) : null };
    });
  }

  /** The whole log in the order of its chain, behind the number `after`. */
  chain(after: number): Promise<{ entries: SealedAuditEntry[]; unsealed: number[] }> {
    return this.transactions.read((connection) => readAuditChain(connection, after));
  }
}
