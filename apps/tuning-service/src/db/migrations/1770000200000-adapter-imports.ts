import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `CREATE TABLE adapter_import (
    upload_id text PRIMARY KEY,
    account integer NOT NULL,
    name text NOT NULL,
    -- Both null until they are known: the request may name the base, or the file does.
    base text,
    base_sha256 text,
    blob text,
    -- Where weights and configuration lie in the file.
    parts jsonb,
    state text NOT NULL DEFAULT 'uploading' CHECK (state IN ('uploading', 'waiting', 'checking', 'ready', 'failed', 'cancelled')),
    reason text,
    detail text,
    worker text,
    -- How many workers were given it.
    tries integer NOT NULL DEFAULT 0,
    adapter_id integer,
    actor text NOT NULL,
    actor_id integer,
    actor_name text,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- When all bytes were there.
    arrived_at timestamptz
  )`,
  `CREATE INDEX adapter_import_account ON adapter_import (account, created_at DESC)`,
  `CREATE INDEX adapter_import_open ON adapter_import (state) WHERE state IN ('waiting', 'checking')`,
  // When a deployment asked for it last, until that deployment is known.
  `ALTER TABLE adapter ADD COLUMN served_at timestamptz`,
  `ALTER TABLE upload ALTER COLUMN dataset_id DROP NOT NULL`,
];

const DOWN = [
  `ALTER TABLE adapter DROP COLUMN served_at`,
  `DELETE FROM upload WHERE dataset_id IS NULL`,
  `ALTER TABLE upload ALTER COLUMN dataset_id SET NOT NULL`,
  `DROP TABLE adapter_import`,
];

/** Adapters that come from outside. Their uploads belong to no data set. */
export class AdapterImports1770000200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
