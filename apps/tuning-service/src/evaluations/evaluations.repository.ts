import { Injectable } from '@nestjs/common';
import type { AccountId, DeploymentResult, EvaluationId, EvaluationState, SuiteId } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';
import type { EvaluationRow } from './evaluation-rows.js';

/** An evaluation to make. */
export type NewEvaluation = Pick<
  EvaluationRow,
  | 'account'
  | 'suite_id'
  | 'suite_name'
  | 'dataset_id'
  | 'version'
  | 'sample'
  | 'seed'
  | 'graders'
  | 'deployments'
  | 'judge_calls'
  | 'actor'
  | 'actor_id'
  | 'actor_name'
>;

/** Columns that a run writes. */
export type EvaluationChange = Partial<Pick<EvaluationRow, 'reason' | 'detail' | 'items' | 'judge_calls' | 'deployments'>> & {
  readonly summary?: readonly DeploymentResult[];
};

const JSON_COLUMNS = new Set(['graders', 'deployments', 'summary']);
const encoded = ([name, value]: [string, unknown]): unknown => (JSON_COLUMNS.has(name) && value !== null ? JSON.stringify(value) : value);

const SELECT = `
  SELECT e.id, e.account, e.suite_id, e.suite_name, e.dataset_id, e.version, e.sample, e.seed, e.graders, e.deployments, e.state, e.reason,
    e.detail, e.items, e.judge_calls, e.text_deleted, e.summary, e.actor, e.actor_id, e.actor_name, e.created_at, e.started_at,
    e.finished_at, d.name AS dataset_name, CASE WHEN d.deleted_at IS NULL THEN d.agent_access END AS agent_access,
    ((SELECT count(*) FROM evaluation_answer a WHERE a.evaluation_id = e.id)
      + (SELECT count(*) FROM evaluation_judgement j WHERE j.evaluation_id = e.id))::integer AS done
  FROM evaluation e JOIN dataset d ON d.id = e.dataset_id`;

@Injectable()
export class EvaluationsRepository {
  async insert(tx: EntityManager, evaluation: NewEvaluation): Promise<EvaluationId> {
    const entries = Object.entries(evaluation);
    const places = entries.map((_, i) => `$${i + 1}`).join(', ');
    const insert = `INSERT INTO evaluation (${entries.map(([name]) => name).join(', ')}) VALUES (${places}) RETURNING id`;
    const [row] = await tx.query<[{ id: EvaluationId }]>(insert, entries.map(encoded));
    return row.id;
  }

  /** Null when the account has no such evaluation. */
  async find(connection: EntityManager, account: AccountId, id: EvaluationId): Promise<EvaluationRow | null> {
    const [row] = await connection.query<EvaluationRow[]>(`${SELECT} WHERE e.id = $1 AND e.account = $2`, [id, account]);
    return row ?? null;
  }

  async lock(tx: EntityManager, account: AccountId, id: EvaluationId): Promise<EvaluationRow | null> {
    await tx.query(`SELECT FROM evaluation WHERE id = $1 AND account = $2 FOR UPDATE`, [id, account]);
    return this.find(tx, account, id);
  }

  /** A page, newest first. */
  list(
    connection: EntityManager,
    account: AccountId,
    page: { suite: SuiteId | null; before: EvaluationId | null; limit: number },
  ): Promise<EvaluationRow[]> {
    const where = `e.account = $1 AND ($2::integer IS NULL OR e.suite_id = $2) AND ($3::integer IS NULL OR e.id < $3)`;
    return connection.query(`${SELECT} WHERE ${where} ORDER BY e.id DESC LIMIT $4`, [account, page.suite, page.before, page.limit]);
  }

  /** Evaluations of the account: all, those that are not over, and the judge calls of those of the last day. */
  async counts(tx: EntityManager, account: AccountId): Promise<{ all: number; open: number; calls: number }> {
    const counts = `SELECT count(*)::integer AS all, count(*) FILTER (WHERE state IN ('queued', 'running'))::integer AS open,
      coalesce(sum(judge_calls) FILTER (WHERE created_at > now() - interval '1 day'), 0)::integer AS calls FROM evaluation WHERE account = $1`;
    const [row] = await tx.query<[{ all: number; open: number; calls: number }]>(counts, [account]);
    return row;
  }

  /** All evaluations that are not over, oldest first. */
  open(connection: EntityManager): Promise<EvaluationRow[]> {
    return connection.query(`${SELECT} WHERE e.state IN ('queued', 'running') ORDER BY e.id LIMIT 1000`);
  }

  /** Begins a queued one. False when it is over meanwhile. */
  async begin(tx: EntityManager, id: EvaluationId): Promise<boolean> {
    const update = `UPDATE evaluation SET state = 'running', started_at = coalesce(started_at, now())
      WHERE id = $1 AND state IN ('queued', 'running') RETURNING 1`;
    const [rows] = await tx.query<[unknown[], number]>(update, [id]);
    return rows.length > 0;
  }

  /** Writes columns of a running one. */
  async change(tx: EntityManager, id: EvaluationId, change: EvaluationChange): Promise<void> {
    const entries = Object.entries(change);
    const set = entries.map(([name], i) => `${name} = $${i + 2}`).join(', ');
    await tx.query(`UPDATE evaluation SET ${set} WHERE id = $1 AND state = 'running'`, [id, ...entries.map(encoded)]);
  }

  /** Ends one that is not over. False when it is over already. */
  async end(
    tx: EntityManager,
    id: EvaluationId,
    { state, reason = null, detail = null }: { state: EvaluationState; reason?: string | null; detail?: string | null },
  ): Promise<boolean> {
    const update = `UPDATE evaluation SET state = $2, reason = $3, detail = $4, finished_at = now()
      WHERE id = $1 AND state IN ('queued', 'running') RETURNING 1`;
    const [rows] = await tx.query<[unknown[], number]>(update, [id, state, reason, detail]);
    return rows.length > 0;
  }

  async delete(tx: EntityManager, id: EvaluationId): Promise<void> {
    await tx.query(`DELETE FROM evaluation WHERE id = $1`, [id]);
  }
}
