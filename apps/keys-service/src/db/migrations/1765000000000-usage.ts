import type { MigrationInterface, QueryRunner } from 'typeorm';

// Accounts, keys and deployments are numbers without references, so that the ledger can move to its own database.
const UP = [
  `CREATE SCHEMA usage`,
  `CREATE TABLE usage.request (
    st text PRIMARY KEY,
    account_id integer NOT NULL,
    key_id integer NOT NULL,
    deployment_id integer NOT NULL,
    rev integer NOT NULL,
    alias text NOT NULL,
    api text NOT NULL,
    streamed boolean NOT NULL,
    started_at timestamptz NOT NULL,
    ttft_ms bigint,
    ms bigint NOT NULL DEFAULT 0,
    prompt bigint NOT NULL DEFAULT 0,
    cached bigint NOT NULL DEFAULT 0,
    completion bigint NOT NULL DEFAULT 0,
    status text NOT NULL DEFAULT '',
    source text CHECK (source IN ('gateway', 'worker')),
    final boolean NOT NULL DEFAULT false,
    estimated boolean NOT NULL DEFAULT false
  )`,
  `CREATE INDEX request_started ON usage.request (started_at)`,
  `CREATE TABLE usage.minute (
    account_id integer NOT NULL,
    minute timestamptz NOT NULL,
    key_id integer NOT NULL,
    deployment_id integer NOT NULL,
    alias text NOT NULL,
    api text NOT NULL,
    status text NOT NULL,
    requests bigint NOT NULL,
    prompt bigint NOT NULL,
    cached bigint NOT NULL,
    completion bigint NOT NULL,
    PRIMARY KEY (account_id, minute, key_id, deployment_id, alias, api, status)
  )`,
  `CREATE TABLE usage.day (
    account_id integer NOT NULL,
    key_id integer NOT NULL,
    day date NOT NULL,
    requests bigint NOT NULL,
    tokens bigint NOT NULL,
    PRIMARY KEY (account_id, key_id, day)
  )`,
  `CREATE INDEX day_key ON usage.day (key_id, day)`,
  `CREATE TABLE usage.last_used (
    key_id integer PRIMARY KEY,
    at timestamptz NOT NULL
  )`,
  // Counts of workers whose gateway died, until the time for the gateway's own record is over.
  `CREATE TABLE usage.orphan (
    st text PRIMARY KEY,
    record jsonb NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX orphan_received ON usage.orphan (received_at)`,
];

/** The ledger of usage: requests, their sums by minute and by day, and when keys were last used. */
export class Usage1765000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP SCHEMA usage CASCADE`);
  }
}
