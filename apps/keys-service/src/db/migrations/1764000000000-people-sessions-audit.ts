import { SessionFeed } from '@slipway/contracts';
import { createAuditTable, createFeedTables, dropAuditTable, dropFeedTables } from '@slipway/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const ROLES = `('owner', 'member', 'viewer')`;

const PEOPLE = [
  `CREATE SCHEMA people`,
  `CREATE TABLE people.person (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email text NOT NULL UNIQUE CHECK (email = lower(email)),
    name text NOT NULL DEFAULT '',
    password_hash text,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_sign_in_at timestamptz
  )`,
  // Subjects of identity providers.
  `CREATE TABLE people.identity (
    issuer text NOT NULL,
    subject text NOT NULL,
    user_id integer NOT NULL REFERENCES people.person (id),
    PRIMARY KEY (issuer, subject)
  )`,
  `CREATE TABLE people.membership (
    account_id integer NOT NULL REFERENCES accounts.account (id),
    user_id integer NOT NULL REFERENCES people.person (id),
    role text NOT NULL CHECK (role IN ${ROLES}),
    joined_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, user_id)
  )`,
  `CREATE INDEX membership_user ON people.membership (user_id, account_id)`,
  `CREATE TABLE people.invitation (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts.account (id),
    email text CHECK (email = lower(email)),
    role text NOT NULL CHECK (role IN ${ROLES}),
    token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    closed_at timestamptz
  )`,
  `CREATE INDEX invitation_account ON people.invitation (account_id, id DESC) WHERE closed_at IS NULL`,
];

const SESSIONS = [
  `CREATE SCHEMA sessions`,
  `CREATE TABLE sessions.session (
    id text PRIMARY KEY,
    user_id integer NOT NULL REFERENCES people.person (id),
    account_id integer NOT NULL REFERENCES accounts.account (id),
    ver integer NOT NULL DEFAULT 1,
    generation integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    rotated_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    ended_at timestamptz,
    void_until timestamptz,
    address text,
    client text
  )`,
  `CREATE INDEX session_of_user ON sessions.session (user_id)`,
  `CREATE INDEX session_void ON sessions.session (id) WHERE void_until IS NOT NULL`,
  `CREATE INDEX session_expiry ON sessions.session (expires_at)`,
  // Every refresh token that was issued in a live session: one that is used twice shows a theft.
  `CREATE TABLE sessions.refresh_token (
    hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
    session_id text NOT NULL REFERENCES sessions.session (id) ON DELETE CASCADE,
    generation integer NOT NULL
  )`,
  `CREATE INDEX refresh_token_session ON sessions.refresh_token (session_id)`,
  `CREATE TABLE sessions.signing_key (
    kid text PRIMARY KEY,
    public_x text NOT NULL,
    sealed text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    retired_at timestamptz,
    revoked_at timestamptz
  )`,
  `CREATE TABLE sessions.attempt (
    subject bytea PRIMARY KEY CHECK (octet_length(subject) = 32),
    failures integer NOT NULL,
    since timestamptz NOT NULL
  )`,
];

const UP = [...PEOPLE, ...SESSIONS, ...createFeedTables(SessionFeed.name), ...createAuditTable()];

const DOWN = [...dropAuditTable(), ...dropFeedTables(SessionFeed.name), `DROP SCHEMA sessions CASCADE`, `DROP SCHEMA people CASCADE`];

/** People and their memberships, sessions, and the audit log. */
export class PeopleSessionsAudit1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
