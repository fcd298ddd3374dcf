import { Injectable } from '@nestjs/common';
import {
  type CancelJob,
  type CreateJob,
  type FindJob,
  type JobId,
  type ListJobs,
  type PauseJob,
  type PlanJob,
  type ResumeJob,
  type SetJobPriority,
  TuningName,
} from '@slipway/contracts';
import { AccountTransactions, AuditLog, type Tx } from '@slipway/database';
import { fitting } from '@slipway/platform';
import type { z } from 'zod';
import { actorColumns } from '../actor-columns.js';
import { CreationsRepository } from '../creations.repository.js';
import { announceWork } from '../leader.js';
import { MeasuresRepository } from '../measures/measures.repository.js';
import { inLine } from '../placement/next-job.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { Checkpoints } from './checkpoints.js';
import { jobFinished, jobNotFound } from './job-errors.js';
import { JobPlans } from './job-plans.js';
import { ENDED, type JobRow, jobView, PLACED } from './job-rows.js';
import { type JobChange, JobsRepository } from './jobs.repository.js';

const PAGE_ROWS = 100;

type Request<C extends { request: z.ZodType }> = z.output<C['request']>;
type Reply<C extends { reply: z.ZodType }> = Promise<z.input<C['reply']>>;
type Command = Request<typeof PauseJob>;

/** Makes, commands and lists jobs. */
@Injectable()
export class JobsService {
  // oxlint-disable-next-line slipway/max-params -- a job is planned, bounded, stored once and audited
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly plans: JobPlans,
    private readonly jobs: JobsRepository,
    private readonly checkpoints: Checkpoints,
    private readonly measures: MeasuresRepository,
    private readonly creations: CreationsRepository,
    private readonly quotas: QuotasService,
    private readonly audit: AuditLog,
  ) {}

  plan(request: Request<typeof PlanJob>): Reply<typeof PlanJob> {
    return this.transactions.read(request.account, async (connection) => ({
      plan: this.plans.view(await this.plans.plan(connection, request)),
    }));
  }

  /** Makes a job. A repeated idempotency key gives the job that the first request made. */
  async create(request: Request<typeof CreateJob>): Reply<typeof CreateJob> {
    const { account, idempotency_key: key } = request;
    const job = await this.transactions.run(request, (tx) =>
      this.creations.once(tx, { account, ...(key !== undefined && { key }) }, 'job', () => this.#insert(tx, request)),
    );
    return { job };
  }

  async #insert(tx: Tx, request: Request<typeof CreateJob>): Promise<JobId> {
    const { account, settings = {}, gate = {}, priority = 0, actor } = request;
    await this.quotas.claim(tx, account, { queued_jobs: 1, adapters: 1 });
    const { known, dataset, version, keepSet, trainer, resolved, isMeasured, memory } = await this.plans.plan(tx, request);
    await this.quotas.requireTokens(tx, request.account, resolved.learnedTokens);
    if (!isMeasured) await this.measures.ask(tx, { account, dataset: dataset.id, version: version.number }, known.base);
    const name = request.name ?? TuningName.parse(dataset.name);
    const id = await this.jobs.insert(tx, {
      ...{ account, name, base: known.base.base, base_facts: known.base, dataset_id: dataset.id, dataset_name: dataset.name },
      ...{
        version: version.number,
        keep_version: keepSet?.version ?? null,
        trainer,
        given: settings,
        resolved: resolved.settings,
        spec: resolved.spec,
        memory_bytes: memory,
      },
      ...{ gate, follow: request.follow ?? {}, priority, source_job: request.source_job ?? null, ...actorColumns(actor) },
    });
    const facts = { base: known.base.base, dataset: dataset.name, version: version.number, sha256: version.canonical };
    await this.audit.record(tx, { account, actor, action: 'job.create', object: `job:${id}`, objectName: name, facts });
    await announceWork(tx);
    return id;
  }

  /** Frees the slot after a checkpoint; a job that waits is paused at once. */
  pause(request: Command): Reply<typeof PauseJob> {
    return this.#command(request, 'job.pause', (row) => {
      if (row.state === 'paused' || row.state === 'pausing' || row.desired === 'cancel') return null;
      if (row.state === 'validating' || row.state === 'queued')
        return { desired: 'pause', state: 'paused', paused_at: new Date(), reason: null, detail: null };
      // What is nearly done is not worth a pause.
      if (row.state !== 'starting' && row.state !== 'running') return null;
      return { desired: 'pause', state: 'pausing' };
    });
  }

  resume(request: Command): Reply<typeof ResumeJob> {
    return this.#command(request, 'job.resume', (row) => {
      if (row.state === 'paused')
        return { desired: 'run', state: 'queued', queued_at: new Date(), paused_at: null, reason: null, detail: null };
      // The worker pauses still; it is queued again as soon as it has.
      return row.state === 'pausing' && row.desired === 'pause' ? { desired: 'run' } : null;
    });
  }

  /** Ends a job. What shall be kept of one that no worker has waits for a worker, which makes the adapter. */
  cancel(request: Request<typeof CancelJob>): Reply<typeof CancelJob> {
    const { keep = false } = request;
    return this.#command(request, 'job.cancel', (row) => {
      if (row.desired === 'cancel' && row.keep === keep) return null;
      if (PLACED.includes(row.state)) return { desired: 'cancel', keep, state: 'cancelling' };
      if (keep && row.newest_step !== null)
        return { desired: 'cancel', keep, state: 'queued', queued_at: new Date(), paused_at: null, reason: null, detail: null };
      return { desired: 'cancel', keep, state: 'cancelled', finished_at: new Date(), reason: null, detail: null };
    });
  }

  setPriority(request: Request<typeof SetJobPriority>): Reply<typeof SetJobPriority> {
    return this.#command(request, 'job.priority', ({ priority }) =>
      priority === request.priority ? null : { priority: request.priority },
    );
  }

  /** Decides on a locked job; null = nothing changes. */
  async #command(request: Command, action: string, decide: (row: JobRow) => JobChange | null): Reply<typeof PauseJob> {
    const { account, job, actor } = request;
    return this.transactions.run(request, async (tx) => {
      const row = await this.jobs.lock(tx, job, account);
      if (!row) throw jobNotFound();
      if (ENDED.includes(row.state)) {
        if (row.state === 'cancelled' && action === 'job.cancel') return { job, state: row.state };
        throw jobFinished(row);
      }
      const change = decide(row);
      if (!change) return { job, state: row.state };
      await this.jobs.change(tx, job, change);
      if (change.state === 'cancelled') await this.checkpoints.dropAll(tx, row);
      const facts = { state: row.state, ...(change.priority !== undefined && { priority: `${row.priority} → ${change.priority}` }) };
      await this.audit.record(tx, { account, actor, action, object: `job:${job}`, objectName: row.name, facts });
      await announceWork(tx);
      return { job, state: change.state ?? row.state };
    });
  }

  list(request: Request<typeof ListJobs>): Reply<typeof ListJobs> {
    const { account, states, dataset, before } = request;
    return this.transactions.read(account, async (connection) => {
      const rows = await this.jobs.list(connection, account, { states, dataset, before, limit: PAGE_ROWS + 1 });
      const places = await this.#places(connection, rows);
      const views = fitting(rows.slice(0, PAGE_ROWS).map((row) => jobView(row, places.get(row.id) ?? null)));
      return { jobs: [...views], next: rows.length > views.length ? (views.at(-1)?.id ?? null) : null };
    });
  }

  find({ account, job }: Request<typeof FindJob>): Reply<typeof FindJob> {
    return this.transactions.read(account, async (connection) => {
      const row = await this.jobs.find(connection, account, job);
      if (!row) throw jobNotFound();
      return { job: jobView(row, (await this.#places(connection, [row])).get(row.id) ?? null) };
    });
  }

  /** Places in line of waiting jobs, over all accounts; read only where one of these waits. */
  async #places(connection: Tx, rows: readonly JobRow[]): Promise<ReadonlyMap<number, number>> {
    if (!rows.some(({ state }) => state === 'queued')) return new Map();
    const open = await this.jobs.open(connection);
    const running = new Map<number, number>();
    for (const { account, state } of open) if (PLACED.includes(state)) running.set(account, (running.get(account) ?? 0) + 1);
    const waiting = open.filter(({ state }) => state === 'queued').map((row) => ({ ...row, queuedAt: row.queued_at?.getTime() ?? 0 }));
    const line = inLine(waiting, { running, deviceSeconds: await this.jobs.deviceSeconds(connection) });
    return new Map(line.map(({ id }, i) => [id, i + 1]));
  }
}
