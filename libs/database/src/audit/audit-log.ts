import type { AccountId, Actor, AuditEntry, Origin } from '@slipway/contracts';
import type { Tx } from '../transactions.js';
import { AUDIT_TABLE } from './audit-table.js';

/** An audit entry to write. Must not contain secrets. */
export interface AuditRecord {
  /** Null = concerns no account; visible to operators only. */
  readonly account: AccountId | null;
  /** `<kind>.<verb>`, such as `key.revoke`. */
  readonly action: string;
  /** Absent for older callers. */
  readonly actor?: Actor | undefined;
  /** Origin of the request, where no actor is proven. */
  readonly origin?: Origin | undefined;
  /** The person's email address at that time. */
  readonly actorName?: string | null | undefined;
  /** `<kind>:<number>`, such as `key:12`. */
  readonly object: string;
  readonly objectName?: string | null | undefined;
  readonly facts?: AuditEntry['facts'] | undefined;
}

interface EntryRow extends Omit<AuditEntry, 'id' | 'at'> {
  readonly id: string;
  readonly at: Date;
}

const COLUMNS = 'id, at, action, actor, actor_id, actor_name, object, object_name, address, client, facts';

function actorIdOf(actor: Actor | undefined): number | null {
  if (actor?.kind === 'user') return actor.user;
  return actor?.kind === 'key' ? actor.key : null;
}

/** A service's audit log. */
export class AuditLog {
  /** Writes an entry into the caller's transaction, so that the change and its entry commit together. */
  async record(tx: Tx, { account, action, actor, origin = actor, actorName, object, objectName, facts = {} }: AuditRecord): Promise<void> {
    await tx.query(
      `INSERT INTO ${AUDIT_TABLE} (account_id, action, actor, actor_id, actor_name, object, object_name, address, client, facts)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        account,
        action,
        actor?.kind ?? 'unknown',
        actorIdOf(actor),
        actorName ?? null,
        object,
        objectName ?? null,
        origin?.address ?? null,
        origin?.client ?? null,
        JSON.stringify(facts),
      ],
    );
  }

  /** An account's entries with numbers below `before`, newest first. */
  async page(tx: Tx, account: AccountId, { before, limit }: { before: number | null; limit: number }): Promise<AuditEntry[]> {
    const rows = await tx.query<EntryRow[]>(
      `SELECT ${COLUMNS} FROM ${AUDIT_TABLE} WHERE account_id = $1 AND ($2::bigint IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
      [account, before, limit],
    );
    return rows.map((row) => ({ ...row, id: Number(row.id), at: row.at.toISOString() }));
  }
}
