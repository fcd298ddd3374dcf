import { Injectable } from '@nestjs/common';
import {
  type AccountId,
  type Actor,
  type JobId,
  JobSample,
  type ListCheckpoints,
  type MetricPoint,
  type ReadJobEvents,
  type ReadJobLog,
  type ReadJobSamples,
  type ReadMetrics,
} from '@slipway/contracts';
import { AccountTransactions, type Tx } from '@slipway/database';
import { fitting } from '@slipway/platform';
import type { z } from 'zod';
import { InstallationSecrets } from '../blobs/installation-secrets.js';
import { requireRead } from '../datasets/dataset-access.js';
import { DatasetsRepository } from '../datasets/datasets.repository.js';
import { jobNotFound } from './job-errors.js';
import type { JobRow } from './job-rows.js';
import { JobsRepository } from './jobs.repository.js';
import { checkpointViews, RecordsRepository } from './records.repository.js';

/**
 * At most about `most` points of a curve: each bucket keeps its lowest and highest loss, every held-out measurement stays, and so do the
 * first and the last point.
 */
export function thinPoints(points: readonly MetricPoint[], most: number): MetricPoint[] {
  if (points.length <= most) return [...points];
  const fixed = points.filter(({ held_loss: held }) => held !== null).slice(-Math.floor(most / 2));
  const buckets = Math.max(1, Math.floor((most - fixed.length - 2) / 2));
  const size = Math.ceil(points.length / buckets);
  const kept = new Set<MetricPoint>(fixed);
  for (let from = 0; from < points.length; from += size) {
    const bucket = points.slice(from, from + size).filter(({ loss }) => loss !== null);
    const [first] = bucket;
    if (!first) continue;
    kept.add(bucket.reduce((low, one) => ((one.loss ?? 0) < (low.loss ?? 0) ? one : low), first));
    kept.add(bucket.reduce((high, one) => ((one.loss ?? 0) > (high.loss ?? 0) ? one : high), first));
  }
  for (const end of [points[0], points.at(-1)]) if (end) kept.add(end);
  return [...kept].toSorted((a, b) => a.step - b.step).slice(0, most);
}

const POINTS = 2_000;
const EVENTS = 500;
const LOG_LINES = 500;
const LOG_BYTES = 256 * 1024;

type Request<C extends { request: z.ZodType }> = z.output<C['request']>;
type Reply<C extends { reply: z.ZodType }> = Promise<z.input<C['reply']>>;
interface Named {
  readonly account: AccountId;
  readonly job: JobId;
}

/** Reads what jobs reported. */
@Injectable()
export class JobReadsService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly jobs: JobsRepository,
    private readonly records: RecordsRepository,
    private readonly datasets: DatasetsRepository,
    private readonly secrets: InstallationSecrets,
  ) {}

  metrics(request: Request<typeof ReadMetrics>): Reply<typeof ReadMetrics> {
    return this.#read(request, async (connection, { id }) => ({
      points: thinPoints(await this.records.metrics(connection, id, request.since ?? 0), POINTS),
    }));
  }

  events(request: Request<typeof ReadJobEvents>): Reply<typeof ReadJobEvents> {
    return this.#read(request, async (connection, { id }) => {
      const rows = await this.records.events(connection, id, request.after ?? 0, EVENTS + 1);
      const events = fitting(rows.slice(0, EVENTS));
      return { events: [...events], next: rows.length > events.length ? (events.at(-1)?.n ?? null) : null };
    });
  }

  checkpoints(request: Request<typeof ListCheckpoints>): Reply<typeof ListCheckpoints> {
    return this.#read(request, async (connection, { id }) => ({
      checkpoints: checkpointViews(await this.records.checkpoints(connection, id)),
    }));
  }

  log(request: Request<typeof ReadJobLog>): Reply<typeof ReadJobLog> {
    return this.#read(request, async (connection, { id, account }) => {
      const rows = await this.records.log(connection, id, request.lines ?? LOG_LINES);
      const lines = rows.map(({ at, attempt, text }) => ({ at: at.toISOString(), attempt, text: this.secrets.openText(account, text) }));
      return { lines: fitting(lines.toReversed(), LOG_BYTES).toReversed() };
    });
  }

  samples(request: Request<typeof ReadJobSamples>): Reply<typeof ReadJobSamples> {
    return this.#read(request, async (connection, row) => {
      await this.#requireText(connection, row, request.actor);
      const rows = await this.records.samples(connection, row.id);
      const samples = rows.map(({ text }) => JobSample.parse(JSON.parse(this.secrets.openText(row.account, text))));
      return { samples: [...fitting(samples)] };
    });
  }

  /** A data set that is gone shows agents no text. */
  async #requireText(connection: Tx, { account, dataset_id: dataset }: JobRow, actor: Actor | undefined): Promise<void> {
    const found = await this.datasets.find(connection, account, dataset);
    requireRead(actor, found?.agent_access ?? 'none', 'examples');
  }

  #read<T>({ account, job }: Named, work: (connection: Tx, row: JobRow) => Promise<T>): Promise<T> {
    return this.transactions.read(account, async (connection) => {
      const row = await this.jobs.find(connection, account, job);
      if (!row) throw jobNotFound();
      return work(connection, row);
    });
  }
}
