import { Injectable } from '@nestjs/common';
import type { CheckpointView, JobEvent, JobId, MetricPoint } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';
import { BEST_FIRST } from './job-rows.js';

/** Lines of a job's log that are kept. */
const LOG_LINES = 2_000;

/** A checkpoint to store. */
export interface NewCheckpoint {
  readonly step: number;
  readonly attempt: number;
  readonly adapter: string;
  readonly state: string | null;
  readonly bytes: number;
  readonly held_loss: number | null;
  readonly degenerate: number | null;
}

/** A stored checkpoint with its blobs. */
export type CheckpointRow = NewCheckpoint & { readonly at: Date };

/** A sealed text of a job. */
export interface SealedSample {
  readonly step: number;
  readonly prompt_no: number;
  readonly text: string;
}

const METRICS = `
  INSERT INTO job_metric (job_id, step, attempt, at, epoch, loss, held_loss, accuracy, margin, lr, tokens_per_s)
  SELECT $1, m.step, $2, m.at, m.epoch, m.loss, m.held_loss, m.accuracy, m.margin, m.lr, m.tokens_per_s
  FROM jsonb_to_recordset($3) AS m (step integer, at timestamptz, epoch real, loss double precision, held_loss double precision,
    accuracy double precision, margin double precision, lr double precision, tokens_per_s double precision)
  ON CONFLICT (job_id, step) DO UPDATE SET attempt = excluded.attempt, at = excluded.at, epoch = coalesce(excluded.epoch, job_metric.epoch),
    loss = coalesce(excluded.loss, job_metric.loss), held_loss = coalesce(excluded.held_loss, job_metric.held_loss),
    accuracy = coalesce(excluded.accuracy, job_metric.accuracy), margin = coalesce(excluded.margin, job_metric.margin),
    lr = coalesce(excluded.lr, job_metric.lr),
    tokens_per_s = coalesce(excluded.tokens_per_s, job_metric.tokens_per_s)
  WHERE job_metric.attempt <= excluded.attempt`;

const LOGGED = `
  INSERT INTO job_log (job_id, attempt, at, text)
  SELECT $1, $2, l.at, l.text FROM jsonb_to_recordset($3) AS l (at timestamptz, text text)`;

const LOG_CUT = `
  DELETE FROM job_log WHERE job_id = $1 AND n <= (SELECT n FROM job_log WHERE job_id = $1 ORDER BY n DESC OFFSET $2 LIMIT 1)`;

/** What jobs report: curve, events, samples, log and checkpoints. */
@Injectable()
export class RecordsRepository {
  /** Stores points; a repeated step completes what is stored. */
  async addMetrics(tx: EntityManager, job: JobId, attempt: number, points: readonly MetricPoint[]): Promise<void> {
    // Of one step in one report the last point stands, since a statement may touch a row once.
    const newest = [...new Map(points.map((point) => [point.step, point])).values()];
    if (newest.length > 0) await tx.query(METRICS, [job, attempt, JSON.stringify(newest)]);
  }

  async metrics(connection: EntityManager, job: JobId, since: number): Promise<MetricPoint[]> {
    const all = `SELECT step, at, epoch, loss, held_loss, accuracy, margin, lr, tokens_per_s FROM job_metric WHERE job_id = $1 AND step >= $2 ORDER BY step`;
    const rows = await connection.query<(Omit<MetricPoint, 'at'> & { at: Date })[]>(all, [job, since]);
    return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
  }

  async events(connection: EntityManager, job: JobId, after: number, limit: number): Promise<JobEvent[]> {
    const page = `SELECT n, at, level, code, message, data FROM job_event WHERE job_id = $1 AND n > $2 ORDER BY n LIMIT $3`;
    const rows = await connection.query<(Omit<JobEvent, 'at'> & { at: Date })[]>(page, [job, after, limit]);
    return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
  }

  async addLog(tx: EntityManager, job: JobId, attempt: number, lines: readonly { at: string; text: string }[]): Promise<void> {
    if (lines.length === 0) return;
    await tx.query(LOGGED, [job, attempt, JSON.stringify(lines)]);
    await tx.query(LOG_CUT, [job, LOG_LINES]);
  }

  /** The newest lines, oldest first. */
  log(connection: EntityManager, job: JobId, lines: number): Promise<{ at: Date; attempt: number; text: string }[]> {
    const newest = `SELECT at, attempt, text FROM (SELECT * FROM job_log WHERE job_id = $1 ORDER BY n DESC LIMIT $2) l ORDER BY n`;
    return connection.query(newest, [job, lines]);
  }

  /** @param isLate keeps what a later attempt stored */
  async addSamples(tx: EntityManager, job: JobId, samples: readonly SealedSample[], isLate = false): Promise<void> {
    const insert = `INSERT INTO job_sample (job_id, step, prompt_no, text) VALUES ($1, $2, $3, $4)
      ON CONFLICT (job_id, step, prompt_no) DO ${isLate ? 'NOTHING' : 'UPDATE SET text = excluded.text'}`;
    for (const { step, prompt_no: no, text } of samples) await tx.query(insert, [job, step, no, text]);
  }

  samples(connection: EntityManager, job: JobId): Promise<SealedSample[]> {
    return connection.query(`SELECT step, prompt_no, text FROM job_sample WHERE job_id = $1 ORDER BY step, prompt_no LIMIT 1000`, [job]);
  }

  async addCheckpoint(tx: EntityManager, job: JobId, checkpoint: NewCheckpoint): Promise<void> {
    const { step, attempt, adapter, state, bytes, held_loss: held, degenerate } = checkpoint;
    const insert = `INSERT INTO checkpoint (job_id, step, attempt, adapter, state, bytes, held_loss, degenerate) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      ON CONFLICT (job_id, step) DO UPDATE SET attempt = $3, adapter = $4, state = $5, bytes = $6, held_loss = $7, degenerate = $8, at = clock_timestamp()`;
    await tx.query(insert, [job, step, attempt, adapter, state, bytes, held, degenerate]);
  }

  /** Checkpoints, the best first. */
  checkpoints(connection: EntityManager, job: JobId): Promise<CheckpointRow[]> {
    return connection.query(
      `SELECT step, attempt, adapter, state, bytes::float8 AS bytes, held_loss, degenerate, at FROM checkpoint WHERE job_id = $1 ORDER BY ${BEST_FIRST}`,
      [job],
    );
  }

  async dropCheckpoints(tx: EntityManager, job: JobId, steps: readonly number[]): Promise<void> {
    await tx.query(`DELETE FROM checkpoint WHERE job_id = $1 AND step = ANY($2)`, [job, steps]);
  }
}

/** Checkpoints as people see them, by step. */
export const checkpointViews = (best: readonly CheckpointRow[]): CheckpointView[] =>
  best
    .map(({ step, attempt, bytes, held_loss, degenerate, at }, i) => ({
      step,
      attempt,
      bytes,
      held_loss,
      degenerate,
      best: i === 0,
      at: at.toISOString(),
    }))
    .toSorted((a, b) => a.step - b.step);

/** Identifies a checkpoint in `blob_use`. */
export const checkpointOwner = (job: JobId, step: number): string => `checkpoint:${job}/${step}`;
