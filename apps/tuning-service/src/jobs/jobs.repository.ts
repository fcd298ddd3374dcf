import { Injectable } from '@nestjs/common';
import type { AccountId, DatasetId, JobEvent, JobId, JobState } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';
import type { ActorColumns } from '../actor-columns.js';
import { JOB_COLUMNS, type JobRow, OPEN } from './job-rows.js';

/** A job to make. */
export type NewJob = Pick<
  JobRow,
  | 'account'
  | 'name'
  | 'base'
  | 'base_facts'
  | 'dataset_id'
  | 'dataset_name'
  | 'version'
  | 'keep_version'
  | 'trainer'
  | 'given'
  | 'resolved'
  | 'spec'
  | 'gate'
  | 'follow'
  | 'priority'
  | 'source_job'
  | 'memory_bytes'
> &
  ActorColumns;

/** Columns of a job that change. */
export type JobChange = { readonly [name in keyof JobRow]?: JobRow[name] | undefined };

/** An event to add. */
export type NewEvent = Omit<JobEvent, 'n' | 'at'> & { readonly at?: string | undefined };

const JSON_COLUMNS = new Set(['base_facts', 'given', 'resolved', 'spec', 'gate', 'follow']);
const encoded = (name: string, value: unknown): unknown => (JSON_COLUMNS.has(name) && value !== null ? JSON.stringify(value) : value);

const EVENT = `
  INSERT INTO job_event (job_id, n, at, level, code, message, data)
  SELECT $1, coalesce(max(n), 0) + 1, coalesce($2::timestamptz, clock_timestamp()), $3, $4, $5, $6 FROM job_event WHERE job_id = $1`;

@Injectable()
export class JobsRepository {
  async insert(tx: EntityManager, job: NewJob): Promise<JobId> {
    const entries = Object.entries({ ...job, state: 'validating' });
    const places = entries.map((_, i) => `$${i + 1}`).join(', ');
    const insert = `INSERT INTO job (${entries.map(([name]) => name).join(', ')}) VALUES (${places}) RETURNING id`;
    const [row] = await tx.query<[{ id: JobId }]>(
      insert,
      entries.map(([name, value]) => encoded(name, value)),
    );
    return row.id;
  }

  /** Null when the account has no such job. */
  async find(connection: EntityManager, account: AccountId, id: JobId): Promise<JobRow | null> {
    const [row] = await connection.query<JobRow[]>(`SELECT ${JOB_COLUMNS} FROM job j WHERE j.id = $1 AND j.account = $2`, [id, account]);
    return row ?? null;
  }

  /** Locks a job until the transaction ends; null when there is none, or the account has none. */
  async lock(tx: EntityManager, id: JobId, account?: AccountId): Promise<JobRow | null> {
    const own = `($2::integer IS NULL OR account = $2)`;
    const locked = await tx.query<unknown[]>(`SELECT id FROM job WHERE id = $1 AND ${own} FOR UPDATE`, [id, account ?? null]);
    if (locked.length === 0) return null;
    const [row] = await tx.query<JobRow[]>(`SELECT ${JOB_COLUMNS} FROM job j WHERE j.id = $1`, [id]);
    return row ?? null;
  }

  /** A page, newest first. */
  list(
    connection: EntityManager,
    account: AccountId,
    page: { states?: readonly JobState[] | undefined; dataset?: DatasetId | undefined; before?: JobId | undefined; limit: number },
  ): Promise<JobRow[]> {
    const where = `j.account = $1 AND ($2::text[] IS NULL OR j.state = ANY($2)) AND ($3::integer IS NULL OR j.dataset_id = $3)
      AND ($4::integer IS NULL OR j.id < $4)`;
    const parameters = [account, page.states ?? null, page.dataset ?? null, page.before ?? null, page.limit];
    return connection.query(`SELECT ${JOB_COLUMNS} FROM job j WHERE ${where} ORDER BY j.id DESC LIMIT $5`, parameters);
  }

  /** All jobs that are not over. */
  open(connection: EntityManager): Promise<JobRow[]> {
    return connection.query(`SELECT ${JOB_COLUMNS} FROM job j WHERE j.state = ANY($1) ORDER BY j.id`, [OPEN]);
  }

  /** Writes columns of a locked job; absent ones stay. */
  async change(tx: EntityManager, id: JobId, change: JobChange): Promise<void> {
    const entries = Object.entries(change).filter(([, value]) => value !== undefined);
    if (entries.length === 0) return;
    const set = entries.map(([name], i) => `${name} = $${i + 2}`).join(', ');
    await tx.query(`UPDATE job SET ${set} WHERE id = $1`, [id, ...entries.map(([name, value]) => encoded(name, value))]);
  }

  async addEvent(tx: EntityManager, id: JobId, { at, level, code, message, data }: NewEvent): Promise<void> {
    await tx.query(EVENT, [id, at ?? null, level, code, message.slice(0, 500), JSON.stringify(data)]);
  }

  /** Device seconds of accounts in the last 24 hours. */
  async deviceSeconds(connection: EntityManager): Promise<ReadonlyMap<number, number>> {
    const sums = `SELECT account, sum(device_seconds)::float8 AS seconds FROM job_attempt
      WHERE started_at > now() - interval '24 hours' GROUP BY account`;
    const rows = await connection.query<{ account: number; seconds: number }[]>(sums);
    return new Map(rows.map(({ account, seconds }) => [account, seconds]));
  }

  async beginAttempt(
    tx: EntityManager,
    row: JobRow,
    at: { attempt: number; worker: string; host: string; slot: string; device: string },
  ): Promise<void> {
    const insert = `INSERT INTO job_attempt (job_id, attempt, account, worker, host, slot, device, from_step) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`;
    await tx.query(insert, [row.id, at.attempt, row.account, at.worker, at.host, at.slot, at.device, row.newest_step ?? 0]);
  }

  async endAttempt(tx: EntityManager, { id, attempt }: JobRow, ending: string): Promise<void> {
    const end = `UPDATE job_attempt SET ended_at = now(), ending = $3 WHERE job_id = $1 AND attempt = $2 AND ended_at IS NULL`;
    await tx.query(end, [id, attempt, ending]);
  }
}
