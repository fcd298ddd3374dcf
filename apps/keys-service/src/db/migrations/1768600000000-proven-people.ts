import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  // Only an identity provider verifies an address: people with a subject have signed in by one.
  `ALTER TABLE people.person ADD COLUMN proven_at timestamptz`,
  `UPDATE people.person SET proven_at = now() WHERE id IN (SELECT user_id FROM people.identity)`,
  `ALTER TABLE sessions.session ADD COLUMN attempt_hash bytea CHECK (octet_length(attempt_hash) = 32)`,
  `ALTER TABLE sessions.attempt ADD COLUMN email bytea CHECK (octet_length(email) = 32)`,
  `CREATE INDEX attempt_email ON sessions.attempt (email)`,
  `CREATE TABLE sessions.browser (
    hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
    user_id integer NOT NULL REFERENCES people.person (id) ON DELETE CASCADE,
    used_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX browser_user ON sessions.browser (user_id, used_at)`,
];

const DOWN = [
  `DROP TABLE sessions.browser`,
  `ALTER TABLE sessions.attempt DROP COLUMN email`,
  `ALTER TABLE sessions.session DROP COLUMN attempt_hash`,
  `ALTER TABLE people.person DROP COLUMN proven_at`,
];

/** Verified addresses, the last refresh attempt of sessions, counters of failed sign-ins, and known browsers. */
export class ProvenPeople1768600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
