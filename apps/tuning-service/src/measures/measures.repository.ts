import { Injectable } from '@nestjs/common';
import type { AccountId, DatasetId, MeasureView, TrainerBase } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';

/** Token counts that a worker is to make. */
export interface OpenMeasure {
  readonly account: AccountId;
  readonly dataset: DatasetId;
  readonly version: number;
  readonly base: string;
  readonly base_sha256: string;
  /** Of the canonical file. */
  readonly bytes: number;
}

interface Named {
  readonly account: AccountId;
  readonly dataset: DatasetId;
  readonly version: number;
}

const ASK = `
  INSERT INTO dataset_measure (dataset_id, version, account, base, base_sha256, template_sha256) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (dataset_id, version, base_sha256, template_sha256) DO UPDATE SET asked_at = now(), done_at = NULL, failed = NULL
    WHERE dataset_measure.failed IS NOT NULL AND dataset_measure.done_at < now() - interval '1 minute'
  RETURNING 1`;

@Injectable()
export class MeasuresRepository {
  /** Counts of a version under a base; null where they are not made. */
  async find(
    connection: EntityManager,
    { dataset, version }: Named,
    { sha256, template_sha256 }: TrainerBase,
  ): Promise<MeasureView | null> {
    const one = `SELECT measure FROM dataset_measure WHERE dataset_id = $1 AND version = $2 AND base_sha256 = $3 AND template_sha256 = $4`;
    const [row] = await connection.query<{ measure: MeasureView | null }[]>(one, [dataset, version, sha256, template_sha256]);
    return row?.measure ?? null;
  }

  /** Asks for counts; true when nobody did before. */
  async ask(tx: EntityManager, { account, dataset, version }: Named, { base, sha256, template_sha256 }: TrainerBase): Promise<boolean> {
    return (await tx.query<unknown[]>(ASK, [dataset, version, account, base, sha256, template_sha256])).length > 0;
  }

  /** Counts that are asked for and not made, oldest first. */
  open(connection: EntityManager): Promise<OpenMeasure[]> {
    return connection.query(
      `SELECT m.account, m.dataset_id AS dataset, m.version, m.base, m.base_sha256, v.bytes::float8 AS bytes FROM dataset_measure m
       JOIN dataset_version v ON v.dataset_id = m.dataset_id AND v.number = m.version AND v.state = 'ready'
       WHERE m.done_at IS NULL AND m.asked_at > now() - interval '1 hour' ORDER BY m.asked_at LIMIT 16`,
    );
  }

  /** Stores counts; false when nobody asked for them. */
  async give(
    tx: EntityManager,
    { account, dataset, version }: Named,
    made: { base_sha256: string; template_sha256: string; measure: MeasureView | null; failed: string | null },
  ): Promise<boolean> {
    const update = `UPDATE dataset_measure SET measure = $6, failed = $7, done_at = now()
      WHERE dataset_id = $1 AND version = $2 AND account = $3 AND base_sha256 = $4 AND template_sha256 = $5 RETURNING 1`;
    const values = [
      dataset,
      version,
      account,
      made.base_sha256,
      made.template_sha256,
      made.measure && JSON.stringify(made.measure),
      made.failed,
    ];
    const [rows] = await tx.query<[unknown[], number]>(update, values);
    return rows.length > 0;
  }
}
