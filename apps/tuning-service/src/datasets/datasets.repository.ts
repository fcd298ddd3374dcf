import { Injectable } from '@nestjs/common';
import type { AccountId, AgentAccess, DatasetId, DatasetKind, FindDataset } from '@slipway/contracts';
import type { SplitPlan } from '@slipway/datasets';
import type { z } from 'zod';
import type { EntityManager } from 'typeorm';
import type { ActorColumns } from '../actor-columns.js';

/** A row of `dataset`, with figures of its versions and jobs. */
export interface DatasetRow extends ActorColumns {
  readonly id: DatasetId;
  readonly account: AccountId;
  readonly name: string;
  readonly kind: DatasetKind;
  readonly agent_access: AgentAccess;
  readonly created_at: Date;
  readonly changed_at: Date;
  readonly versions: number;
  readonly head: number | null;
  readonly ready: number | null;
  readonly jobs: number;
  /** Null = no version was ready yet. */
  readonly split: DatasetSplit | null;
}

/** Which prompts of a data set are held out. Decided once, by the first version that is not small. */
export interface DatasetSplit {
  /** Prompts whose place lies below are held out; null = all versions so far are small, and all of them is learned. */
  readonly below: number | null;
  /** Places of the prompts of small versions, which are never held out. */
  readonly learned: readonly number[];
}

/** A data set to make. */
export interface NewDataset extends ActorColumns {
  readonly account: AccountId;
  readonly name: string;
  readonly kind: DatasetKind;
  readonly agent_access: AgentAccess;
}

const SELECT = `
  SELECT d.id, d.account, d.name, d.kind, d.agent_access, d.actor, d.actor_id, d.actor_name, d.created_at, d.changed_at, d.split,
    v.versions, v.head, v.ready, (SELECT count(*) FROM job WHERE job.dataset_id = d.id)::integer AS jobs
  FROM dataset d CROSS JOIN LATERAL (
    SELECT count(*)::integer AS versions, max(number) AS head, max(number) FILTER (WHERE state = 'ready') AS ready
    FROM dataset_version WHERE dataset_id = d.id) v
  WHERE d.account = $1 AND d.deleted_at IS NULL`;

const USES = `
  SELECT version, 'job' AS kind, id, name, state FROM job WHERE account = $1 AND dataset_id = $2
  UNION ALL SELECT dataset_version, 'adapter', id, name || ' v' || version, NULL FROM adapter WHERE account = $1 AND dataset_id = $2
  ORDER BY id DESC LIMIT 500`;

/** Prompts of small versions that are remembered, at most. */
const LEARNED_MAX = 1_000;

const DELETE_EVALUATED = [
  `UPDATE evaluation SET state = 'failed', reason = 'dataset_deleted', detail = 'Its data set was deleted.', finished_at = now()
    WHERE dataset_id = $1 AND state IN ('queued', 'running')`,
  `UPDATE evaluation SET text_deleted = true WHERE dataset_id = $1`,
  `DELETE FROM evaluation_item USING evaluation e WHERE e.id = evaluation_id AND e.dataset_id = $1`,
  `UPDATE evaluation_answer SET content = NULL FROM evaluation e WHERE e.id = evaluation_id AND e.dataset_id = $1`,
];

const ENDED = `('succeeded', 'cancelled', 'failed')`;

@Injectable()
export class DatasetsRepository {
  async insert(tx: EntityManager, { account, name, kind, agent_access, ...by }: NewDataset): Promise<DatasetId> {
    const insert = `INSERT INTO dataset (account, name, kind, agent_access, actor, actor_id, actor_name) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`;
    const values = [account, name, kind, agent_access, by.actor, by.actor_id, by.actor_name];
    const [row] = await tx.query<[{ id: DatasetId }]>(insert, values);
    return row.id;
  }

  /** A page by name, after `after`. */
  list(connection: EntityManager, account: AccountId, page: { search?: string; after?: string; limit: number }): Promise<DatasetRow[]> {
    const { search = null, after = null, limit } = page;
    const where = `AND ($2::text IS NULL OR position($2 in d.name) > 0) AND ($3::text IS NULL OR d.name > $3) ORDER BY d.name LIMIT $4`;
    return connection.query(`${SELECT} ${where}`, [account, search, after, limit]);
  }

  /** By number or name; null when the account has no such data set. */
  async find(connection: EntityManager, account: AccountId, dataset: DatasetId | string): Promise<DatasetRow | null> {
    const column = typeof dataset === 'number' ? 'id' : 'name';
    const [row] = await connection.query<DatasetRow[]>(`${SELECT} AND d.${column} = $2`, [account, dataset]);
    return row ?? null;
  }

  /** Locks the data set until the transaction ends; null when the account has no such data set. */
  async lock(tx: EntityManager, account: AccountId, dataset: DatasetId): Promise<DatasetRow | null> {
    await tx.query(`SELECT FROM dataset WHERE id = $1 AND account = $2 FOR UPDATE`, [dataset, account]);
    return this.find(tx, account, dataset);
  }

  async rename(tx: EntityManager, dataset: DatasetId, name: string): Promise<void> {
    await tx.query(`UPDATE dataset SET name = $2, changed_at = now() WHERE id = $1`, [dataset, name]);
  }

  async setAccess(tx: EntityManager, dataset: DatasetId, access: AgentAccess): Promise<void> {
    await tx.query(`UPDATE dataset SET agent_access = $2, changed_at = now() WHERE id = $1`, [dataset, access]);
  }

  /** Takes what a version that became ready says of the split, unless that is decided already. */
  async planSplit(tx: EntityManager, dataset: DatasetId, { below, few }: SplitPlan): Promise<void> {
    const [row] = await tx.query<{ split: DatasetSplit | null }[]>(`SELECT split FROM dataset WHERE id = $1 FOR UPDATE`, [dataset]);
    if (!row || (row.split !== null && row.split.below !== null)) return;
    const before = row.split?.learned ?? [];
    const learned = [...new Set([...before, ...(few ?? [])])];
    const isSmall = few !== null && learned.length <= LEARNED_MAX;
    const split: DatasetSplit = isSmall ? { below: null, learned } : { below, learned: before };
    await tx.query(`UPDATE dataset SET split = $2 WHERE id = $1`, [dataset, JSON.stringify(split)]);
  }

  /** Notes that something of the data set changed now. */
  async touch(tx: EntityManager, dataset: DatasetId): Promise<void> {
    await tx.query(`UPDATE dataset SET changed_at = now() WHERE id = $1`, [dataset]);
  }

  /** Marks a locked data set and its versions as deleted. Evaluations by it end, and keep their figures without any text. */
  async delete(tx: EntityManager, dataset: DatasetId): Promise<void> {
    await tx.query(`UPDATE dataset SET deleted_at = now() WHERE id = $1`, [dataset]);
    await tx.query(`UPDATE dataset_version SET state = 'deleting', progress = NULL WHERE dataset_id = $1`, [dataset]);
    await tx.query(`UPDATE upload SET state = 'cancelled' WHERE dataset_id = $1 AND state = 'open'`, [dataset]);
    await tx.query(`DELETE FROM dataset_issue WHERE dataset_id = $1`, [dataset]);
    for (const statement of DELETE_EVALUATED) await tx.query(statement, [dataset]);
  }

  /** Jobs and adapters that were made from it, newest first; at most 500. */
  uses(connection: EntityManager, account: AccountId, dataset: DatasetId): Promise<z.input<typeof FindDataset.reply>['used_by']> {
    return connection.query(USES, [account, dataset]);
  }

  /** Numbers of jobs that read it now, as their data set or keep set. */
  async readers(tx: EntityManager, dataset: DatasetId): Promise<number[]> {
    const rows = await tx.query<{ id: number }[]>(
      `SELECT id FROM job WHERE (dataset_id = $1 OR (gate->>'keep_dataset')::integer = $1) AND state NOT IN ${ENDED} ORDER BY id`,
      [dataset],
    );
    return rows.map(({ id }) => id);
  }
}
