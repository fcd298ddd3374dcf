import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  // A canary's foreign key keeps a candidate from being deleted before its rollout has ended.
  `ALTER TABLE alias ADD canary_id integer, ADD canary_percent integer,
    ADD CONSTRAINT alias_canary FOREIGN KEY (canary_id, account) REFERENCES deployment (id, account),
    ADD CONSTRAINT alias_canary_percent CHECK ((canary_id IS NULL) = (canary_percent IS NULL) AND canary_percent BETWEEN 0 AND 100)`,
  // Deployments are numbers without references: what ended is kept when one of them is deleted.
  `CREATE TABLE rollout (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account integer NOT NULL,
    alias text NOT NULL,
    stable integer NOT NULL,
    candidate integer NOT NULL,
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'promoted', 'rolled_back')),
    steps integer[] NOT NULL CHECK (cardinality(steps) > 0),
    at_step integer NOT NULL DEFAULT 0 CHECK (at_step >= 0),
    minutes double precision,
    guard jsonb NOT NULL,
    override text,
    reason text,
    figures jsonb,
    started_at timestamptz NOT NULL DEFAULT now(),
    since timestamptz NOT NULL DEFAULT now(),
    counted_from timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX rollout_running ON rollout (account, alias) WHERE state = 'running'`,
  `CREATE INDEX rollout_alias ON rollout (account, alias, id)`,
];

const DOWN = [
  `DROP TABLE rollout`,
  `ALTER TABLE alias DROP CONSTRAINT alias_canary_percent, DROP CONSTRAINT alias_canary, DROP canary_percent, DROP canary_id`,
];

/**
 * Rollouts, and the second deployment of an alias. Replicas of the version before would publish an alias without it, so callers start
 * rollouts once no such replica is left.
 */
export class Rollouts1769800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
