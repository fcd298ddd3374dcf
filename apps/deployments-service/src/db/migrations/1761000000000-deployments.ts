import { DeploymentFeed } from '@slipway/contracts';
import { createFeedTables, dropFeedTables } from '@slipway/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  // One sequence for all records: an alias that is removed and made again still gets a higher version.
  `CREATE SEQUENCE record_version AS bigint`,
  `CREATE TABLE deployment (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account integer NOT NULL,
    name text NOT NULL,
    desired text NOT NULL CHECK (desired IN ('ready', 'stopped')),
    rev integer NOT NULL CHECK (rev > 0),
    replicas integer NOT NULL CHECK (replicas > 0),
    state text NOT NULL DEFAULT 'pending'
      CHECK (state IN ('pending', 'loading', 'ready', 'degraded', 'stopping', 'stopped', 'failed', 'deleting')),
    reason text,
    detail text,
    ready_replicas integer NOT NULL DEFAULT 0,
    caps text[] NOT NULL DEFAULT '{}',
    engine_context integer,
    version bigint NOT NULL DEFAULT nextval('record_version'),
    created_at timestamptz NOT NULL DEFAULT now(),
    state_since timestamptz NOT NULL DEFAULT now(),
    UNIQUE (id, account)
  )`,
  `CREATE INDEX deployment_account ON deployment (account, id)`,
  `CREATE TABLE revision (
    deployment_id integer NOT NULL REFERENCES deployment (id) ON DELETE CASCADE,
    number integer NOT NULL CHECK (number > 0),
    source jsonb NOT NULL,
    credential text,
    context integer,
    slots integer NOT NULL CHECK (slots > 0),
    default_max_tokens integer,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (deployment_id, number)
  )`,
  // The foreign key holds the account too: no statement can point an alias at another account's deployment.
  `CREATE TABLE alias (
    account integer NOT NULL,
    name text NOT NULL,
    deployment_id integer NOT NULL,
    version bigint NOT NULL DEFAULT nextval('record_version'),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account, name),
    FOREIGN KEY (deployment_id, account) REFERENCES deployment (id, account)
  )`,
  `CREATE INDEX alias_deployment ON alias (deployment_id)`,
  `CREATE TABLE placement_term (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    term bigint NOT NULL
  )`,
  `INSERT INTO placement_term (term) VALUES (0)`,
  ...createFeedTables(DeploymentFeed.name),
];

const DOWN = [
  ...dropFeedTables(DeploymentFeed.name),
  `DROP TABLE placement_term`,
  `DROP TABLE alias`,
  `DROP TABLE revision`,
  `DROP TABLE deployment`,
  `DROP SEQUENCE record_version`,
];

/** Deployments, their revisions and aliases, and the placer's term. */
export class Deployments1761000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
