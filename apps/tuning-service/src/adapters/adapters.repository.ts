import { Injectable } from '@nestjs/common';
import {
  type AccountId,
  type AdapterId,
  type AdapterView,
  type BASE_STATES,
  ServiceError,
  type TrainedAdapter,
  type Verdict,
  type Witness,
} from '@slipway/contracts';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { type ActorColumns, changedBy } from '../actor-columns.js';

/** A row of `adapter`, with numbers in place of the driver's texts. */
export interface AdapterRow extends ActorColumns {
  readonly id: AdapterId;
  readonly account: AccountId;
  readonly name: string;
  readonly version: number;
  readonly job_id: AdapterView['job'];
  readonly step: number | null;
  readonly dataset_id: AdapterView['dataset'];
  readonly dataset_name: string | null;
  readonly dataset_version: number | null;
  readonly source_deleted: boolean;
  readonly base: string;
  readonly base_path: string;
  readonly base_sha256: string;
  readonly template_sha256: string;
  readonly tokenizer_sha256: string;
  readonly gguf: string;
  readonly gguf_bytes: number;
  readonly peft: string;
  readonly peft_bytes: number;
  readonly rank: number;
  readonly alpha: number;
  readonly modules: string[];
  readonly witness: Witness;
  readonly verdict: Verdict | null;
  readonly answers: string | null;
  readonly deployments: AdapterView['deployments'];
  /** A deployment that names it is being made. */
  readonly is_held: boolean | null;
  readonly created_at: Date;
}

/** Where an adapter comes from. Without a job it was imported. */
export type AdapterOrigin = ActorColumns &
  Pick<AdapterRow, 'account' | 'name' | 'job_id' | 'step' | 'dataset_id' | 'dataset_name' | 'dataset_version' | 'base' | 'base_path'>;

/** Whether the base of an adapter is there. */
export type BaseState = (typeof BASE_STATES)[number];

const COLUMNS = `a.id, a.account, a.name, a.version, a.job_id, a.step, a.dataset_id, a.dataset_name, a.dataset_version, a.base, a.base_path,
  a.base_sha256, a.template_sha256, a.tokenizer_sha256, a.gguf, a.gguf_bytes::float8 AS gguf_bytes, a.peft, a.peft_bytes::float8 AS peft_bytes,
  a.served_at > now() - interval '10 seconds' AS is_held, a.rank, a.alpha, a.modules, a.witness, a.verdict, a.answers, a.deployments, a.actor, a.actor_id, a.actor_name, a.created_at,
  (a.dataset_id IS NOT NULL AND NOT EXISTS (SELECT FROM dataset d WHERE d.id = a.dataset_id AND d.deleted_at IS NULL)) AS source_deleted`;

const INSERT = `
  INSERT INTO adapter (account, name, version, job_id, step, dataset_id, dataset_name, dataset_version, base, base_path, base_sha256,
    template_sha256, tokenizer_sha256, gguf, gguf_bytes, peft, peft_bytes, rank, alpha, modules, witness, verdict, answers, actor, actor_id,
    actor_name)
  SELECT $1, $2, coalesce(max(version), 0) + 1, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
    $23, $24, $25 FROM adapter WHERE account = $1 AND name = $2
  RETURNING id`;

@Injectable()
export class AdaptersRepository {
  /** Makes the next version of an adapter of this name. A job makes one at most. */
  async insert(
    tx: EntityManager,
    from: AdapterOrigin,
    made: { trained: Omit<z.output<typeof TrainedAdapter>, 'step'>; verdict: Verdict | null; answers: string | null },
  ): Promise<AdapterId> {
    const { trained, verdict, answers } = made;
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`adapter:${from.account}:${from.name}`]);
    const [row] = await tx.query<[{ id: AdapterId }]>(INSERT, [
      ...[from.account, from.name, from.job_id, from.step, from.dataset_id, from.dataset_name, from.dataset_version],
      ...[from.base, from.base_path],
      ...[trained.base_sha256, trained.template_sha256, trained.tokenizer_sha256],
      ...[trained.gguf.sha256, trained.gguf.bytes, trained.peft.sha256, trained.peft.bytes, trained.rank, trained.alpha, trained.modules],
      ...[JSON.stringify(trained.witness), verdict && JSON.stringify(verdict), answers, from.actor, from.actor_id, from.actor_name],
    ]);
    return row.id;
  }

  list(
    connection: EntityManager,
    account: AccountId,
    page: { name?: string | undefined; before?: AdapterId | undefined; limit: number },
  ): Promise<AdapterRow[]> {
    const where = `a.account = $1 AND ($2::text IS NULL OR a.name = $2) AND ($3::integer IS NULL OR a.id < $3)`;
    const all = `SELECT ${COLUMNS} FROM adapter a WHERE ${where} ORDER BY a.id DESC LIMIT $4`;
    return connection.query(all, [account, page.name ?? null, page.before ?? null, page.limit]);
  }

  /** Null when the account has no such adapter. */
  async find(connection: EntityManager, account: AccountId, id: AdapterId): Promise<AdapterRow | null> {
    const [row] = await connection.query<AdapterRow[]>(`SELECT ${COLUMNS} FROM adapter a WHERE a.account = $1 AND a.id = $2`, [
      account,
      id,
    ]);
    return row ?? null;
  }

  /** The same, and locks it until the transaction ends. */
  async lock(tx: EntityManager, account: AccountId, id: AdapterId): Promise<AdapterRow | null> {
    await tx.query(`SELECT FROM adapter WHERE account = $1 AND id = $2 FOR UPDATE`, [account, id]);
    return this.find(tx, account, id);
  }

  /** Renames all versions of an adapter; suites that are its gate stay so. */
  async rename(tx: EntityManager, account: AccountId, from: string, to: string): Promise<void> {
    await tx.query(`UPDATE adapter SET name = $3 WHERE account = $1 AND name = $2`, [account, from, to]);
    await tx.query(`UPDATE evaluation_suite SET gate_adapter = $3 WHERE account = $1 AND gate_adapter = $2`, [account, from, to]);
  }

  /** Whether the account has an adapter of this name. */
  async hasName(tx: EntityManager, account: AccountId, name: string): Promise<boolean> {
    return (await tx.query<unknown[]>(`SELECT FROM adapter WHERE account = $1 AND name = $2 LIMIT 1`, [account, name])).length > 0;
  }

  /**
   * Stores which deployments name an adapter, which ends that it is held for one that is being made. An empty list that was on its way
   * already says nothing of that one.
   */
  async setDeployments(tx: EntityManager, account: AccountId, id: AdapterId, deployments: readonly number[]): Promise<boolean> {
    const isNewer = `cardinality($3::integer[]) > 0 OR served_at < now() - interval '2 seconds'`;
    const update = `UPDATE adapter SET deployments = $3, served_at = CASE WHEN ${isNewer} THEN NULL ELSE served_at END
      WHERE account = $1 AND id = $2 RETURNING 1`;
    const [rows] = await tx.query<[unknown[], number]>(update, [account, id, deployments]);
    return rows.length > 0;
  }

  /** Holds an adapter for a deployment that is being made. */
  async hold(tx: EntityManager, id: AdapterId): Promise<void> {
    await tx.query(`UPDATE adapter SET served_at = now() WHERE id = $1`, [id]);
  }

  async delete(tx: EntityManager, id: AdapterId): Promise<void> {
    await tx.query(`DELETE FROM adapter WHERE id = $1`, [id]);
    await tx.query(`UPDATE job SET adapter_id = NULL WHERE adapter_id = $1`, [id]);
  }
}

/** An adapter as people see it. @param base_state whether its base is there */
export const adapterView = (row: AdapterRow, base_state: BaseState): z.input<typeof AdapterView> => ({
  base_state,
  ...{ id: row.id, name: row.name, version: row.version, job: row.job_id, step: row.step, dataset: row.dataset_id },
  ...{ dataset_name: row.dataset_name, dataset_version: row.dataset_version, source_deleted: row.source_deleted, base: row.base },
  base_path: row.base_path,
  ...{ base_sha256: row.base_sha256, template_sha256: row.template_sha256, tokenizer_sha256: row.tokenizer_sha256 },
  ...{ sha256: row.gguf, bytes: row.gguf_bytes, rank: row.rank, alpha: row.alpha, modules: row.modules },
  ...{ witness_distance: row.witness.distance, verdict: row.verdict, deployments: row.deployments },
  created_by: changedBy(row),
  created_at: row.created_at.toISOString(),
});

/** Identifies an adapter in `blob_use`. */
export const adapterOwner = (id: AdapterId): string => `adapter:${id}`;

/** The error for an adapter that does not exist or belongs to another account; callers cannot tell which. */
export const adapterNotFound = (): ServiceError =>
  new ServiceError('adapter_not_found', 'This account has no such adapter.', { param: 'adapter' });
