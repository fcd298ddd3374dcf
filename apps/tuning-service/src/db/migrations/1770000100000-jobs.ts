import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `CREATE TABLE job (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account integer NOT NULL,
    name text NOT NULL,
    base text NOT NULL,
    -- The base as a worker reported it when the job was queued.
    base_facts jsonb,
    dataset_id integer NOT NULL REFERENCES dataset (id),
    dataset_name text NOT NULL,
    version integer NOT NULL,
    keep_version integer,
    trainer text NOT NULL DEFAULT '',
    given jsonb NOT NULL DEFAULT '{}',
    resolved jsonb NOT NULL DEFAULT '[]',
    spec jsonb,
    gate jsonb NOT NULL DEFAULT '{}',
    follow jsonb NOT NULL DEFAULT '{}',
    priority smallint NOT NULL DEFAULT 0 CHECK (priority BETWEEN -1 AND 1),
    desired text NOT NULL DEFAULT 'run' CHECK (desired IN ('run', 'pause', 'cancel')),
    keep boolean NOT NULL DEFAULT false,
    state text NOT NULL DEFAULT 'validating' CHECK (state IN ('validating', 'queued', 'starting', 'running', 'pausing', 'paused',
      'finishing', 'evaluating', 'succeeded', 'cancelling', 'cancelled', 'failed')),
    reason text,
    detail text,
    attempt integer NOT NULL DEFAULT 0,
    worker text,
    slot text,
    host text,
    -- How often its worker was lost.
    losses integer NOT NULL DEFAULT 0,
    progress real,
    step integer NOT NULL DEFAULT 0,
    steps integer,
    epoch real,
    loss double precision,
    held_loss double precision,
    steps_per_s real,
    learned_tokens bigint,
    -- When what follows success was done; null = not yet.
    followed_at timestamptz,
    device_seconds double precision NOT NULL DEFAULT 0,
    adapter_id integer,
    passed boolean,
    source_job integer,
    actor text NOT NULL,
    actor_id integer,
    actor_name text,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Before all that are queued later; lost jobs keep theirs.
    queued_at timestamptz,
    placed_at timestamptz,
    started_at timestamptz,
    paused_at timestamptz,
    finished_at timestamptz
  )`,
  `CREATE INDEX job_account ON job (account, id DESC)`,
  `CREATE INDEX job_dataset ON job (dataset_id, version)`,
  `CREATE INDEX job_open ON job (state) WHERE state NOT IN ('succeeded', 'cancelled', 'failed')`,
  `CREATE TABLE job_attempt (
    job_id integer NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    attempt integer NOT NULL,
    account integer NOT NULL,
    worker text NOT NULL,
    host text NOT NULL,
    slot text NOT NULL,
    device text NOT NULL,
    from_step integer NOT NULL DEFAULT 0,
    -- Number of the last stored report.
    seq integer NOT NULL DEFAULT 0,
    device_seconds double precision NOT NULL DEFAULT 0,
    started_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    ending text,
    PRIMARY KEY (job_id, attempt)
  )`,
  `CREATE INDEX job_attempt_recent ON job_attempt (account, started_at)`,
  `CREATE TABLE job_metric (
    job_id integer NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    step integer NOT NULL,
    attempt integer NOT NULL,
    at timestamptz NOT NULL,
    epoch real,
    loss double precision,
    held_loss double precision,
    accuracy double precision,
    lr double precision,
    tokens_per_s double precision,
    PRIMARY KEY (job_id, step)
  )`,
  `CREATE TABLE job_event (
    job_id integer NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    n integer NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    level text NOT NULL,
    code text NOT NULL,
    message text NOT NULL,
    data jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (job_id, n)
  )`,
  `CREATE TABLE job_sample (
    job_id integer NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    step integer NOT NULL,
    prompt_no integer NOT NULL,
    -- Sealed like blobs: prompt, answer, expected.
    text text NOT NULL,
    PRIMARY KEY (job_id, step, prompt_no)
  )`,
  `CREATE TABLE job_log (
    job_id integer NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    n bigint GENERATED ALWAYS AS IDENTITY,
    attempt integer NOT NULL,
    at timestamptz NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (job_id, n)
  )`,
  `CREATE TABLE checkpoint (
    job_id integer NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    step integer NOT NULL,
    attempt integer NOT NULL,
    adapter text NOT NULL,
    state text,
    bytes bigint NOT NULL,
    held_loss double precision,
    degenerate integer,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (job_id, step)
  )`,
  `CREATE TABLE adapter (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account integer NOT NULL,
    name text NOT NULL,
    version integer NOT NULL CHECK (version > 0),
    job_id integer,
    step integer,
    dataset_id integer,
    dataset_name text,
    dataset_version integer,
    base text NOT NULL,
    base_path text NOT NULL,
    base_sha256 text NOT NULL,
    template_sha256 text NOT NULL,
    tokenizer_sha256 text NOT NULL,
    gguf text NOT NULL,
    gguf_bytes bigint NOT NULL,
    peft text NOT NULL,
    peft_bytes bigint NOT NULL,
    rank integer NOT NULL,
    alpha double precision NOT NULL,
    modules text[] NOT NULL,
    witness jsonb NOT NULL,
    verdict jsonb,
    -- Sealed like blobs: what base and adapter answered.
    answers text,
    deployments integer[] NOT NULL DEFAULT '{}',
    actor text NOT NULL,
    actor_id integer,
    actor_name text,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account, name, version)
  )`,
  `CREATE INDEX adapter_account ON adapter (account, id DESC)`,
  `CREATE INDEX adapter_dataset ON adapter (dataset_id)`,
  // A result is made once, whatever is reported twice.
  `CREATE UNIQUE INDEX adapter_job ON adapter (job_id)`,
  `CREATE TABLE placement_term (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    term bigint NOT NULL
  )`,
  `INSERT INTO placement_term (term) VALUES (0)`,
];

const DOWN = ['placement_term', 'adapter', 'checkpoint', 'job_log', 'job_sample', 'job_event', 'job_metric', 'job_attempt', 'job'].map(
  (table) => `DROP TABLE ${table}`,
);

/** Training jobs with all that they report, adapters, and the placer's term. */
export class Jobs1770000100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
