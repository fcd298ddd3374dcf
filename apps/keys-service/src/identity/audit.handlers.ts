import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { type AuditEntry, ListAudit, ReadAudit } from '@slipway/contracts';
import { AuditLog, readAuditChain, Transactions, type Tx } from '@slipway/database';
import { idOf, pageOf } from '@slipway/platform';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { Authority } from './authority.service.js';
import { PeopleRepository } from './people.repository.js';

const PAGE_ROWS = 200;

/** The audit log, for owners and operators. */
@Controller()
export class AuditHandlers {
  constructor(
    private readonly transactions: Transactions,
    private readonly authority: Authority,
    private readonly people: PeopleRepository,
    private readonly audit: AuditLog,
  ) {}

  /** Entries of one account that match all filters, newest first. */
  @RpcHandler(ListAudit)
  list(@Payload() { account, actor, ...filters }: z.output<typeof ListAudit.request>): Promise<z.input<typeof ListAudit.reply>> {
    return this.transactions.read(async (connection) => {
      // Operators can also read the log of a deleted account.
      if (actor.kind === 'ops') await this.authority.requireAccountOrDeleted(connection, account);
      else await this.authority.require(connection, account, actor, 'manage');
      const rows = await this.audit.page(connection, account, { ...filters, limit: PAGE_ROWS + 1 });
      const { items: entries, next } = pageOf(await this.#withPeople(connection, rows), PAGE_ROWS, idOf);
      return { entries, next };
    });
  }

  /** The whole log in the order of its chain, behind the number `after`. */
  @RpcHandler(ReadAudit)
  chain(@Payload() { after }: z.output<typeof ReadAudit.request>): Promise<z.input<typeof ReadAudit.reply>> {
    return this.transactions.read((connection) => readAuditChain(connection, after));
  }

  /** Adds what people are called now. The log itself has no names, so that a deleted person's name is gone. */
  async #withPeople(connection: Tx, entries: readonly AuditEntry[]): Promise<AuditEntry[]> {
    const personOf = ({ actor, actor_id: id }: AuditEntry): number | null => (actor === 'user' ? id : null);
    const names = await this.people.namesOf(connection, new Set(entries.flatMap((entry) => personOf(entry) ?? [])));
    return entries.map((entry) => {
      const name = names.get(personOf(entry) ?? 0);
      return name === undefined ? entry : { ...entry, actor_person: name };
    });
  }
}
