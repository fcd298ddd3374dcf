import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `CREATE TABLE evaluation_suite (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account integer NOT NULL,
    name text NOT NULL,
    dataset_id integer NOT NULL REFERENCES dataset (id),
    version integer NOT NULL,
    sample integer NOT NULL,
    seed integer NOT NULL,
    graders jsonb NOT NULL,
    -- The adapter that must pass it before it is promoted, by name.
    gate_adapter text,
    gate_points real,
    actor text NOT NULL,
    actor_id integer,
    actor_name text,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account, name)
  )`,
  `CREATE INDEX evaluation_suite_gate ON evaluation_suite (account, gate_adapter) WHERE gate_adapter IS NOT NULL`,
  `CREATE TABLE evaluation (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account integer NOT NULL,
    suite_id integer REFERENCES evaluation_suite (id) ON DELETE SET NULL,
    suite_name text NOT NULL,
    dataset_id integer NOT NULL REFERENCES dataset (id),
    version integer NOT NULL,
    sample integer NOT NULL,
    seed integer NOT NULL,
    graders jsonb NOT NULL,
    -- In their order: the baseline first.
    deployments jsonb NOT NULL,
    state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
    reason text,
    detail text,
    items integer NOT NULL DEFAULT 0,
    -- Calls that its judges may take.
    judge_calls integer NOT NULL,
    text_deleted boolean NOT NULL DEFAULT false,
    summary jsonb,
    actor text NOT NULL,
    actor_id integer,
    actor_name text,
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz
  )`,
  `CREATE INDEX evaluation_account ON evaluation (account, id DESC)`,
  `CREATE INDEX evaluation_open ON evaluation (id) WHERE state IN ('queued', 'running')`,
  `CREATE INDEX evaluation_suite_id ON evaluation (suite_id, id DESC)`,
  `CREATE TABLE evaluation_item (
    evaluation_id integer NOT NULL REFERENCES evaluation (id) ON DELETE CASCADE,
    n integer NOT NULL,
    example integer NOT NULL,
    -- Sealed.
    content text NOT NULL,
    PRIMARY KEY (evaluation_id, n)
  )`,
  `CREATE TABLE evaluation_answer (
    evaluation_id integer NOT NULL REFERENCES evaluation (id) ON DELETE CASCADE,
    n integer NOT NULL,
    -- Of the deployment, from 0.
    place integer NOT NULL,
    -- Sealed; null = none, or deleted with its data set.
    content text,
    error text,
    passed jsonb NOT NULL,
    ms integer NOT NULL,
    PRIMARY KEY (evaluation_id, n, place)
  )`,
  `CREATE TABLE evaluation_judgement (
    evaluation_id integer NOT NULL REFERENCES evaluation (id) ON DELETE CASCADE,
    grader integer NOT NULL,
    n integer NOT NULL,
    place integer NOT NULL,
    -- 0: the baseline's answer came first.
    turn integer NOT NULL,
    verdict text NOT NULL CHECK (verdict IN ('better', 'worse', 'tie', 'unread')),
    PRIMARY KEY (evaluation_id, grader, n, place, turn)
  )`,
  `CREATE TABLE evaluation_vote (
    evaluation_id integer NOT NULL REFERENCES evaluation (id) ON DELETE CASCADE,
    n integer NOT NULL,
    place integer NOT NULL,
    voter integer NOT NULL,
    verdict text NOT NULL CHECK (verdict IN ('better', 'worse', 'tie')),
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (evaluation_id, n, place, voter)
  )`,
];

const TABLES = ['evaluation_vote', 'evaluation_judgement', 'evaluation_answer', 'evaluation_item', 'evaluation', 'evaluation_suite'];

/** Suites of conversations and graders, and evaluations of deployments by them. */
export class Evaluations1770000700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`DROP TABLE ${table}`);
  }
}
