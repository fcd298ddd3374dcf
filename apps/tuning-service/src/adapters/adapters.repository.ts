import { Injectable } from '@nestjs/common';
import type { AccountId, AdapterId, AnswerPair, DatasetId, DeploymentId, JobId, TrainedAdapter, Verdict, Witness } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';
import type { ActorColumns } from '../actor-columns.js';
import { BlobUsesRepository } from '../blobs/blob-uses.repository.js';
import { InstallationSecrets } from '../blobs/installation-secrets.js';

/** A row of `adapter`, with what became of its data set. */
export interface AdapterRow extends ActorColumns {
  readonly id: AdapterId;
  readonly account: AccountId;
  readonly name: string;
  readonly version: number;
  readonly job_id: JobId | null;
  readonly step: number | null;
  readonly dataset_id: DatasetId | null;
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
  readonly modules: readonly string[];
  readonly witness: Witness;
  readonly verdict: Verdict | null;
  readonly deployments: readonly DeploymentId[];
  readonly created_at: Date;
}

/** An adapter that a job made. Its files are stored as blobs of the account already. */
export interface NewAdapter extends ActorColumns {
  readonly account: AccountId;
  readonly name: string;
  readonly job: JobId;
  readonly dataset: DatasetId;
  readonly datasetName: string;
  readonly datasetVersion: number;
  readonly base: string;
  /** Path of the base's file on the workers. */
  readonly basePath: string;
  readonly trained: TrainedAdapter;
}

const SELECT = `
  SELECT a.id, a.account, a.name, a.version, a.job_id, a.step, a.dataset_id, a.dataset_name, a.dataset_version,
    a.dataset_id IS NOT NULL AND NOT EXISTS (SELECT FROM dataset d WHERE d.id = a.dataset_id AND d.deleted_at IS NULL) AS source_deleted,
    a.base, a.base_path, a.base_sha256, a.template_sha256, a.tokenizer_sha256, a.gguf, a.gguf_bytes::float8 AS gguf_bytes, a.peft,
    a.peft_bytes::float8 AS peft_bytes, a.rank, a.alpha, a.modules, a.witness, a.verdict, a.deployments, a.actor, a.actor_id,
    a.actor_name, a.created_at
  FROM adapter a WHERE a.account = $1`;

const INSERT = `
  INSERT INTO adapter (account, name, version, job_id, step, dataset_id, dataset_name, dataset_version, base, base_path, base_sha256,
    template_sha256, tokenizer_sha256, gguf, gguf_bytes, peft, peft_bytes, rank, alpha, modules, witness, actor, actor_id, actor_name)
  VALUES ($1, $2, (SELECT coalesce(max(version), 0) + 1 FROM adapter WHERE account = $1 AND name = $2), $3, $4, $5, $6, $7, $8, $9, $10,
    $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
  ON CONFLICT (job_id) DO NOTHING RETURNING id`;

const ownerOf = (adapter: AdapterId): string => `adapter:${adapter}`;

/** Stores adapters. The texts of their answers are sealed where a secret key is set. */
@Injectable()
export class AdaptersRepository {
  constructor(
    private readonly blobs: BlobUsesRepository,
    private readonly secrets: InstallationSecrets,
  ) {}

  /** Stores the adapter of a job once: a repetition gets the number of the first. Its blobs are in use from then on. */
  async insert(tx: EntityManager, { account, trained, ...one }: NewAdapter): Promise<AdapterId> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`adapter:${account}:${one.name}`]);
    const { gguf, peft } = trained;
    const [row] = await tx.query<{ id: AdapterId }[]>(INSERT, [
      ...[account, one.name, one.job, trained.step, one.dataset, one.datasetName, one.datasetVersion, one.base, one.basePath],
      ...[trained.base_sha256, trained.template_sha256, trained.tokenizer_sha256, gguf.sha256, gguf.bytes, peft.sha256, peft.bytes],
      ...[trained.rank, trained.alpha, trained.modules, JSON.stringify(trained.witness), one.actor, one.actor_id, one.actor_name],
    ]);
    if (!row) return this.#ofJob(tx, one.job);
    for (const { sha256 } of [gguf, peft]) await this.blobs.use(tx, { account, sha256 }, ownerOf(row.id));
    return row.id;
  }

  async #ofJob(tx: EntityManager, job: JobId): Promise<AdapterId> {
    const [row] = await tx.query<[{ id: AdapterId }]>(`SELECT id FROM adapter WHERE job_id = $1`, [job]);
    return row.id;
  }

  /** Stores the gate's verdict and the answers that it was made of. */
  async setVerdict(
    tx: EntityManager,
    { account, id }: Pick<AdapterRow, 'account' | 'id'>,
    { verdict, answers }: { readonly verdict: Verdict; readonly answers: readonly AnswerPair[] },
  ): Promise<void> {
    const sealed = this.secrets.sealText(account, JSON.stringify(answers));
    await tx.query(`UPDATE adapter SET verdict = $3, answers = $4 WHERE account = $1 AND id = $2`, [
      ...[account, id, JSON.stringify(verdict), sealed],
    ]);
  }

  /** A page, newest first, before `before`. */
  list(connection: EntityManager, account: AccountId, page: { name?: string; before?: AdapterId; limit: number }): Promise<AdapterRow[]> {
    const { name = null, before = null, limit } = page;
    const where = `AND ($2::text IS NULL OR a.name = $2) AND ($3::integer IS NULL OR a.id < $3) ORDER BY a.id DESC LIMIT $4`;
    return connection.query(`${SELECT} ${where}`, [account, name, before, limit]);
  }

  /** Null when the account has no such adapter. */
  async find(connection: EntityManager, account: AccountId, id: AdapterId): Promise<AdapterRow | null> {
    const [row] = await connection.query<AdapterRow[]>(`${SELECT} AND a.id = $2`, [account, id]);
    return row ?? null;
  }

  /** Locks it until the transaction ends; null when the account has no such adapter. */
  async lock(tx: EntityManager, account: AccountId, id: AdapterId): Promise<AdapterRow | null> {
    await tx.query(`SELECT FROM adapter WHERE account = $1 AND id = $2 FOR UPDATE`, [account, id]);
    return this.find(tx, account, id);
  }

  /** What base and adapter answered; empty before the verdict. */
  async answers(connection: EntityManager, account: AccountId, id: AdapterId): Promise<AnswerPair[]> {
    const [row] = await connection.query<{ answers: string | null }[]>(`SELECT answers FROM adapter WHERE account = $1 AND id = $2`, [
      ...[account, id],
    ]);
    const stored = row?.answers ?? null;
    return stored === null ? [] : (JSON.parse(this.secrets.openText(account, stored)) as AnswerPair[]);
  }

  async rename(tx: EntityManager, account: AccountId, { from, to }: { readonly from: string; readonly to: string }): Promise<void> {
    await tx.query(`UPDATE adapter SET name = $3 WHERE account = $1 AND name = $2`, [account, from, to]);
  }

  async setDeployments(tx: EntityManager, account: AccountId, id: AdapterId, deployments: readonly DeploymentId[]): Promise<void> {
    await tx.query(`UPDATE adapter SET deployments = $3 WHERE account = $1 AND id = $2`, [account, id, deployments]);
  }

  /** Deletes it and releases its blobs. */
  async delete(tx: EntityManager, account: AccountId, id: AdapterId): Promise<void> {
    await tx.query(`DELETE FROM adapter WHERE account = $1 AND id = $2`, [account, id]);
    await this.blobs.release(tx, account, [ownerOf(id)]);
  }
}
