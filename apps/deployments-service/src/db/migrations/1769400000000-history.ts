import { createAuditIndexes, dropAuditIndexes } from '@slipway/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Entries about deployments, with the deployment's number: the history of a deployment from before its events were stored. */
const FROM_AUDIT = `
  SELECT e.*, substring(e.object from '^deployment:(\\d+)$')::integer AS dep FROM audit.entry e
  WHERE e.object ~ '^deployment:\\d{1,9}$' AND e.action ~ '^deployment\\.(create|update|scale|stop|resume|retry)$'`;

const UP = [
  `CREATE TABLE deployment_event (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    deployment_id integer NOT NULL REFERENCES deployment (id) ON DELETE CASCADE,
    account integer NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    first_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    count integer NOT NULL DEFAULT 1 CHECK (count > 0),
    kind text NOT NULL,
    state text,
    reason text,
    detail text,
    rev integer,
    ready_replicas integer,
    actor text,
    actor_id integer,
    actor_name text,
    facts jsonb NOT NULL DEFAULT '{}'
  )`,
  `CREATE INDEX deployment_event_deployment ON deployment_event (deployment_id, id DESC)`,
  `CREATE INDEX deployment_event_account ON deployment_event (account, id DESC)`,
  // Null in rows of releases that did not record it.
  `ALTER TABLE revision ADD note text, ADD actor text, ADD actor_id integer, ADD actor_name text`,
  `ALTER TABLE deployment ADD updated_at timestamptz NOT NULL DEFAULT now()`,
  `UPDATE deployment d SET updated_at = greatest(d.created_at, r.created_at)
    FROM revision r WHERE r.deployment_id = d.id AND r.number = d.rev`,
  `INSERT INTO deployment_event (deployment_id, account, at, first_at, kind, rev, actor, actor_id, actor_name, facts)
    SELECT dep, d.account, at, at, action, CASE WHEN action = 'deployment.create' THEN 1 ELSE (facts->>'rev')::integer END,
      actor, actor_id, actor_name, facts
    FROM (SELECT *, row_number() OVER (PARTITION BY dep ORDER BY id DESC) AS nth FROM (${FROM_AUDIT}) entry) newest
    JOIN deployment d ON d.id = dep AND d.account = account_id
    WHERE nth <= 500 ORDER BY newest.id`,
  // Of several entries that name a revision, the first one made it.
  `UPDATE revision r SET actor = made.actor, actor_id = made.actor_id, actor_name = made.actor_name
    FROM (SELECT DISTINCT ON (deployment_id, rev) deployment_id, rev, actor, actor_id, actor_name FROM deployment_event
      WHERE kind IN ('deployment.create', 'deployment.update') ORDER BY deployment_id, rev, id) made
    WHERE made.deployment_id = r.deployment_id AND made.rev = r.number`,
  ...createAuditIndexes(),
];

const DOWN = [
  ...dropAuditIndexes(),
  `ALTER TABLE deployment DROP updated_at`,
  `ALTER TABLE revision DROP note, DROP actor, DROP actor_id, DROP actor_name`,
  `DROP TABLE deployment_event`,
];

/**
 * What happened to deployments, who made revisions and why, when owners last changed a deployment, and the filters of the audit
 * log. Replicas of the version before write no events.
 */
export class History1769400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
