import type { SealedAuditEntry } from '@slipway/contracts';
import { fitting } from '@slipway/platform';
import type { Tx } from '../transactions.js';
import { AUDIT_TABLE } from './audit-table.js';

const SEAL_TABLE = 'audit.seal';
/** Most entries of one page; fewer where a message cannot hold as many. */
const AUDIT_PAGE_ROWS = 200;
/** Entries that one statement compares with the chain. */
const RANGE_ROWS = 20_000;
/** Most entries without a seal in one reply. */
const UNSEALED_MAX = 100;

/**
 * Statements that chain the audit log's entries by their hashes; for the `up` of a migration. Each committed entry gets the
 * next number and SHA-256 of the seal before it and of its own text, so a changed, removed or inserted entry is
 * detected, unless every later seal is recomputed too. That is detected with any recorded earlier number and hash.
 *
 * Sealing happens at the commit of the transaction that wrote the entry, when nothing else is locked any more: sealers run one
 * after the other without deadlock. Existing entries are sealed in the order of their numbers.
 */
export function createAuditChain(): string[] {
  return [
    `CREATE TABLE ${SEAL_TABLE} (
      seq bigint PRIMARY KEY,
      entry_id bigint NOT NULL UNIQUE,
      hash bytea NOT NULL CHECK (octet_length(hash) = 32)
    )`,
    // Independent of the session's time zone and of JSON key order: times are in UTC, and jsonb has a fixed order.
    `CREATE FUNCTION audit.sealed_text(e ${AUDIT_TABLE}) RETURNS text LANGUAGE sql STABLE AS $$
      SELECT jsonb_build_array(
        e.id, to_char(e.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), e.account_id, e.action, e.actor, e.actor_id,
        e.actor_name, e.object, e.object_name, e.address, e.client, e.facts
      )::text
    $$`,
    `CREATE FUNCTION audit.seal_entry(e ${AUDIT_TABLE}) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        last ${SEAL_TABLE};
      BEGIN
        PERFORM pg_advisory_xact_lock(hashtextextended('slipway.audit', 0));
        SELECT * INTO last FROM ${SEAL_TABLE} ORDER BY seq DESC LIMIT 1;
        INSERT INTO ${SEAL_TABLE} VALUES (
          coalesce(last.seq, 0) + 1, e.id,
          sha256(coalesce(last.hash, ''::bytea) || convert_to(audit.sealed_text(e), 'UTF8'))
        );
      END
    $$`,
    `CREATE FUNCTION audit.seal_new_entry() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM audit.seal_entry(NEW);
        RETURN NULL;
      END
    $$`,
    `DO $$
      DECLARE
        e ${AUDIT_TABLE};
      BEGIN
        FOR e IN SELECT * FROM ${AUDIT_TABLE} ORDER BY id LOOP
          PERFORM audit.seal_entry(e);
        END LOOP;
      END
    $$`,
    `CREATE CONSTRAINT TRIGGER entry_sealed AFTER INSERT ON ${AUDIT_TABLE} DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION audit.seal_new_entry()`,
    `CREATE TRIGGER seal_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${SEAL_TABLE}
      FOR EACH STATEMENT EXECUTE FUNCTION audit.refuse_change()`,
    `REVOKE UPDATE, DELETE, TRUNCATE ON ${SEAL_TABLE} FROM CURRENT_USER`,
  ];
}

/** Statements that remove the chain and keep the entries; for the `down` of a migration. */
export const dropAuditChain = (): string[] => [
  `DROP TRIGGER entry_sealed ON ${AUDIT_TABLE}`,
  `DROP FUNCTION audit.seal_new_entry()`,
  `DROP FUNCTION audit.seal_entry(${AUDIT_TABLE})`,
  `DROP FUNCTION audit.sealed_text(${AUDIT_TABLE})`,
  `DROP TABLE ${SEAL_TABLE}`,
];

/**
 * Reads a page of a service's audit log in the order of its chain, after seal `after`: the reply of `ReadAudit`. Entries missing
 * from the chain are searched only at its end, because that reads the whole log.
 */
export async function readAuditChain(tx: Tx, after: number): Promise<{ entries: SealedAuditEntry[]; unsealed: number[] }> {
  const rows = await tx.query<{ seq: string; hash: string; text: string | null }[]>(
    `SELECT s.seq, encode(s.hash, 'hex') AS hash, CASE WHEN e.id IS NULL THEN NULL ELSE audit.sealed_text(e) END AS text
       FROM ${SEAL_TABLE} s LEFT JOIN ${AUDIT_TABLE} e ON e.id = s.entry_id
       WHERE s.seq > $1 ORDER BY s.seq LIMIT ${AUDIT_PAGE_ROWS}`,
    [after],
  );
  const entries = [...fitting(rows.map((row) => ({ ...row, seq: Number(row.seq) })))];
  return { entries, unsealed: entries.length === 0 ? await unsealedEntries(tx) : [] };
}

/** The first numbers of entries without a seal. Searched in ranges, so that no statement times out. */
async function unsealedEntries(tx: Tx): Promise<number[]> {
  const unsealed: number[] = [];
  for (let after = '0'; unsealed.length < UNSEALED_MAX;) {
    const [range] = await tx.query<{ last: string | null }[]>(
      `SELECT max(id) AS last FROM (SELECT id FROM ${AUDIT_TABLE} WHERE id > $1 ORDER BY id LIMIT ${RANGE_ROWS}) entry`,
      [after],
    );
    const last = range?.last ?? null;
    if (last === null) break;
    const loose = await tx.query<{ id: string }[]>(
      `SELECT e.id FROM ${AUDIT_TABLE} e
         LEFT JOIN (SELECT entry_id FROM ${SEAL_TABLE} WHERE entry_id > $1 AND entry_id <= $2) s ON s.entry_id = e.id
         WHERE e.id > $1 AND e.id <= $2 AND s.entry_id IS NULL ORDER BY e.id LIMIT ${UNSEALED_MAX}`,
      [after, last],
    );
    unsealed.push(...loose.map(({ id }) => Number(id)));
    after = last;
  }
  return unsealed.slice(0, UNSEALED_MAX);
}
