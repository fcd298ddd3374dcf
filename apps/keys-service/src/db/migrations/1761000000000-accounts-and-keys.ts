import { KeyFeed } from '@slipway/contracts';
import { createFeedTables, dropFeedTables } from '@slipway/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `CREATE SCHEMA accounts`,
  `CREATE TABLE accounts.account (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug text NOT NULL UNIQUE,
    state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'suspended')),
    ver integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE SCHEMA keys`,
  `CREATE TABLE keys.key (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts.account (id),
    kind text NOT NULL CHECK (kind IN ('dep', 'mcp')),
    name text NOT NULL,
    mac bytea NOT NULL UNIQUE CHECK (octet_length(mac) = 32),
    pepper text NOT NULL,
    hint text NOT NULL CHECK (length(hint) <= 12),
    state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'revoked')),
    expires_at timestamptz,
    deployments integer[],
    ver integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX key_account ON keys.key (account_id, id DESC)`,
  // An account has one MCP key at most; a rotation updates its row.
  `CREATE UNIQUE INDEX key_one_mcp ON keys.key (account_id) WHERE kind = 'mcp'`,
  ...createFeedTables(KeyFeed.name),
];

const DOWN = [
  ...dropFeedTables(KeyFeed.name),
  `DROP TABLE keys.key`,
  `DROP SCHEMA keys`,
  `DROP TABLE accounts.account`,
  `DROP SCHEMA accounts`,
];

/** Accounts, their keys, and the key feed. */
export class AccountsAndKeys1761000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
