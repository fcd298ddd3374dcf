import { createAuditChain, createAuditIndexes, createAuditTable, dropAuditTable } from '@slipway/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  ...createAuditTable(),
  ...createAuditIndexes(),
  ...createAuditChain(),
  `CREATE TABLE account_quota (
    account integer PRIMARY KEY,
    quotas jsonb NOT NULL DEFAULT '{}'
  )`,
  // Secrets of this installation where no SLIPWAY_SECRET_KEY is set, and the sealed keys of accounts where one is.
  `CREATE TABLE secret (
    name text PRIMARY KEY,
    value text NOT NULL
  )`,
  `CREATE TABLE dataset (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account integer NOT NULL,
    name text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('sft', 'preference')),
    agent_access text NOT NULL CHECK (agent_access IN ('none', 'stats', 'examples')),
    actor text NOT NULL,
    actor_id integer,
    actor_name text,
    created_at timestamptz NOT NULL DEFAULT now(),
    changed_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    UNIQUE (id, account)
  )`,
  `CREATE UNIQUE INDEX dataset_name ON dataset (account, name) WHERE deleted_at IS NULL`,
  `CREATE TABLE dataset_version (
    dataset_id integer NOT NULL REFERENCES dataset (id) ON DELETE CASCADE,
    account integer NOT NULL,
    number integer NOT NULL CHECK (number > 0),
    state text NOT NULL CHECK (state IN ('uploading', 'validating', 'ready', 'invalid', 'deleting')),
    parent integer,
    origin text NOT NULL,
    format text,
    -- How its file is read: format, columns, repairs.
    reading jsonb NOT NULL DEFAULT '{}',
    url text,
    original text,
    original_bytes bigint NOT NULL DEFAULT 0,
    canonical text,
    rejected_blob text,
    line_index text,
    bytes bigint NOT NULL DEFAULT 0,
    examples integer NOT NULL DEFAULT 0,
    rejected integer NOT NULL DEFAULT 0,
    duplicates integer NOT NULL DEFAULT 0,
    progress real,
    tries integer NOT NULL DEFAULT 0,
    statistics jsonb,
    repairs text[] NOT NULL DEFAULT '{}',
    reason text,
    detail text,
    actor text NOT NULL,
    actor_id integer,
    actor_name text,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (dataset_id, number)
  )`,
  `CREATE INDEX dataset_version_account ON dataset_version (account)`,
  `CREATE INDEX dataset_version_open ON dataset_version (state) WHERE state IN ('uploading', 'validating')`,
  `CREATE TABLE dataset_issue (
    dataset_id integer NOT NULL,
    version integer NOT NULL,
    n integer NOT NULL,
    line bigint NOT NULL,
    path text NOT NULL,
    rule text NOT NULL,
    severity text NOT NULL,
    message text NOT NULL,
    PRIMARY KEY (dataset_id, version, n),
    FOREIGN KEY (dataset_id, version) REFERENCES dataset_version (dataset_id, number) ON DELETE CASCADE
  )`,
  `CREATE TABLE dataset_issue_total (
    dataset_id integer NOT NULL,
    version integer NOT NULL,
    place integer NOT NULL,
    rule text NOT NULL,
    severity text NOT NULL,
    count integer NOT NULL,
    PRIMARY KEY (dataset_id, version, rule, severity),
    FOREIGN KEY (dataset_id, version) REFERENCES dataset_version (dataset_id, number) ON DELETE CASCADE
  )`,
  `CREATE TABLE dataset_measure (
    dataset_id integer NOT NULL,
    version integer NOT NULL,
    account integer NOT NULL,
    base text NOT NULL,
    base_sha256 text NOT NULL,
    template_sha256 text NOT NULL,
    measure jsonb,
    failed text,
    asked_at timestamptz NOT NULL DEFAULT now(),
    done_at timestamptz,
    PRIMARY KEY (dataset_id, version, base_sha256, template_sha256),
    FOREIGN KEY (dataset_id, version) REFERENCES dataset_version (dataset_id, number) ON DELETE CASCADE
  )`,
  `CREATE INDEX dataset_measure_open ON dataset_measure (asked_at) WHERE done_at IS NULL`,
  `CREATE TABLE upload (
    id text PRIMARY KEY,
    account integer NOT NULL,
    dataset_id integer NOT NULL REFERENCES dataset (id) ON DELETE CASCADE,
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'complete', 'expired', 'cancelled')),
    file_name text,
    declared_bytes bigint,
    received bigint NOT NULL DEFAULT 0,
    reason text,
    sha256 text,
    reading jsonb NOT NULL DEFAULT '{}',
    version integer,
    key text,
    actor text NOT NULL,
    actor_id integer,
    actor_name text,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
  )`,
  `CREATE INDEX upload_open ON upload (account) WHERE state = 'open'`,
  `CREATE UNIQUE INDEX upload_key ON upload (account, key) WHERE key IS NOT NULL`,
  // Pieces of uploads in progress, each a file of its own: what a cut request brought stays.
  `CREATE TABLE upload_part (
    upload_id text NOT NULL REFERENCES upload (id) ON DELETE CASCADE,
    start bigint NOT NULL,
    bytes bigint NOT NULL,
    path text NOT NULL,
    sealed boolean NOT NULL,
    PRIMARY KEY (upload_id, start)
  )`,
  `CREATE TABLE blob (
    account integer NOT NULL,
    sha256 text NOT NULL,
    bytes bigint NOT NULL,
    sealed boolean NOT NULL,
    stored_at timestamptz NOT NULL DEFAULT now(),
    -- When its last use ended; null while it is in use.
    unused_since timestamptz DEFAULT now(),
    PRIMARY KEY (account, sha256)
  )`,
  `CREATE INDEX blob_unused ON blob (unused_since) WHERE unused_since IS NOT NULL`,
  `CREATE TABLE blob_use (
    account integer NOT NULL,
    sha256 text NOT NULL,
    owner text NOT NULL,
    PRIMARY KEY (account, owner, sha256),
    FOREIGN KEY (account, sha256) REFERENCES blob (account, sha256)
  )`,
  `CREATE INDEX blob_use_blob ON blob_use (account, sha256)`,
  // Tickets that open something once and were used, until they expire.
  `CREATE TABLE used_ticket (
    id text PRIMARY KEY,
    expires_at timestamptz NOT NULL
  )`,
  `CREATE TABLE creation (
    account integer NOT NULL,
    key text NOT NULL,
    -- 'dataset:4', 'version:4/3', 'job:41'
    made text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account, key)
  )`,
];

const DOWN = [
  ...['creation', 'used_ticket', 'blob_use', 'blob', 'upload_part', 'upload', 'dataset_measure', 'dataset_issue_total', 'dataset_issue'],
  ...['dataset_version', 'dataset', 'secret', 'account_quota'],
].map((table) => `DROP TABLE ${table}`);

/** Data sets, their versions, uploads and blobs. */
export class Datasets1770000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of [...DOWN, ...dropAuditTable()]) await runner.query(statement);
  }
}
