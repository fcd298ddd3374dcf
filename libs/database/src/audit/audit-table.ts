/** Schema of a service's audit log. */
export const AUDIT_TABLE = 'audit.entry';

/**
 * Statements that make a service's audit log, in a schema of its own; for the `up` of a migration. Entries are
 * append-only: the service's role revokes its own right to change or delete them, and a trigger refuses it to every role,
 * superusers included. The role owns the table, so this stops bugs and injected statements, but not roles that may alter tables.
 */
export function createAuditTable(): string[] {
  return [
    `CREATE SCHEMA audit`,
    `CREATE TABLE ${AUDIT_TABLE} (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      account_id integer,
      action text NOT NULL,
      actor text NOT NULL CHECK (actor IN ('user', 'key', 'ops', 'unknown')),
      actor_id integer,
      actor_name text,
      object text NOT NULL,
      object_name text,
      address text,
      client text,
      facts jsonb NOT NULL DEFAULT '{}'
    )`,
    `CREATE INDEX entry_account ON ${AUDIT_TABLE} (account_id, id DESC)`,
    `CREATE FUNCTION audit.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'The audit log is append-only.' USING ERRCODE = 'insufficient_privilege';
      END
    $$`,
    `CREATE TRIGGER entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${AUDIT_TABLE}
      FOR EACH STATEMENT EXECUTE FUNCTION audit.refuse_change()`,
    `REVOKE UPDATE, DELETE, TRUNCATE ON ${AUDIT_TABLE} FROM CURRENT_USER`,
  ];
}

/** Indexes for the log of one object and of one actor; for the `up` of a later migration. */
export const createAuditIndexes = (): string[] => [
  `CREATE INDEX entry_object ON ${AUDIT_TABLE} (account_id, object, id DESC)`,
  `CREATE INDEX entry_actor ON ${AUDIT_TABLE} (account_id, actor, actor_id, id DESC)`,
];

/** Statements that drop these indexes; for the `down` of a migration. */
export const dropAuditIndexes = (): string[] => [`DROP INDEX audit.entry_object`, `DROP INDEX audit.entry_actor`];

/** Statements that drop the audit log; for the `down` of a migration. */
export const dropAuditTable = (): string[] => [`DROP SCHEMA audit CASCADE`];
