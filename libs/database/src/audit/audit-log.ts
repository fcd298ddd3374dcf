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

/** Which entries of an account are read; absent and null filters match all. */
export interface AuditFilters {
  /** Only entries with lower numbers. */
  readonly before?: number | null | undefined;
  /** Such as `key:12`. */
  readonly object?: string | undefined;
  /** Such as `key.revoke`, or `key` for all actions of a kind. */
  readonly action?: string | undefined;
  readonly by?: { readonly kind: Actor['kind']; readonly id?: number | undefined } | undefined;
  /** Times with their zone: the first is included, the last is not. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

type Condition = readonly [sql: string, value: string | number];

/** Written one by one, so that the database sees which of its indexes fit. */
function conditionsOf(account: AccountId, { before, object, action, by, from, to }: AuditFilters): Condition[] {
  const one = (sql: string, value: string | number | null | undefined): Condition[] =>
    value === null || value === undefined ? [] : [[sql, value]];
  // An underscore is any character in LIKE, so kinds are compared by their first part.
  const isKind = action !== undefined && !action.includes('.');
  return [
    ['account_id = ?', account],
    ...one('id < ?', before),
    ...one('object = ?', object),
    ...one(isKind ? `split_part(action, '.', 1) = ?` : 'action = ?', action),
    ...one('actor = ?', by?.kind),
    ...one('actor_id = ?', by?.id),
    ...one('at >= ?::timestamptz', from),
    ...one('at < ?::timestamptz', to),
  ];
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

  /** An account's entries that match all filters, newest first. */
  async page(tx: Tx, account: AccountId, { limit, ...filters }: AuditFilters & { readonly limit: number }): Promise<AuditEntry[]> {
    const conditions = conditionsOf(account, filters);
    const where = conditions.map(([sql], i) => sql.replace('?', `$${i + 1}`)).join(' AND ');
    const rows = await tx.query<EntryRow[]>(`SELECT ${COLUMNS} FROM ${AUDIT_TABLE} WHERE ${where} ORDER BY id DESC LIMIT ${limit}`, [
      ...conditions.map(([, value]) => value),
    ]);
    return rows.map((row) => ({ ...row, id: Number(row.id), at: row.at.toISOString() }));
  }
}

type Value = number | string | undefined;

/**
 * The settings that a change sets to other values, each as "before → after", for the audit log.
 * @param unset the word for a setting without a value
 */
export function changesOf(before: object, after: object, unset: 'none' | 'default'): AuditEntry['facts'] {
  const [was, is] = [new Map<string, Value>(Object.entries(before)), new Map<string, Value>(Object.entries(after))];
  const names = new Set([...was.keys(), ...is.keys()]);
  const changed = [...names].filter((name) => was.get(name) !== is.get(name));
  return Object.fromEntries(changed.map((name) => [name, `${was.get(name) ?? unset} → ${is.get(name) ?? unset}`]));
}
