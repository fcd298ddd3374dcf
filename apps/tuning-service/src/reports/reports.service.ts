import { Injectable } from '@nestjs/common';
import {
  type AccountId,
  type AdapterId,
  type JobId,
  type JobState,
  type ReportTraining,
  ServiceError,
  type StoreBlob,
} from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import type { z } from 'zod';
import { type AdapterOrigin, adapterOwner, AdaptersRepository } from '../adapters/adapters.repository.js';
import { BlobDoor } from '../blobs/blob-door.js';
import { BlobStore } from '../blobs/blob-store.js';
import { BlobUsesRepository } from '../blobs/blob-uses.repository.js';
import { InstallationSecrets } from '../blobs/installation-secrets.js';
import { Tickets } from '../blobs/tickets.js';
import { Checkpoints } from '../jobs/checkpoints.js';
import { ENDED, type JobRow, PLACED } from '../jobs/job-rows.js';
import { type JobChange, JobsRepository } from '../jobs/jobs.repository.js';
import { checkpointOwner, RecordsRepository } from '../jobs/records.repository.js';
import { announceWork } from '../leader.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { TuningMetrics } from '../tuning-metrics.js';

/** Best checkpoints that are kept, beside the newest one. */
const BEST_KEPT = 3;

type Request = z.output<typeof ReportTraining.request>;
type Reply = z.input<typeof ReportTraining.reply>;
/** What of a report is a record of the past. */
type Records = Pick<Request, 'late' | 'metrics' | 'events' | 'samples' | 'log' | 'checkpoint' | 'device_seconds'>;

interface Attempt {
  readonly worker: string;
  readonly seq: number;
}

/** Takes what training workers report. An attempt that another one replaced gets `attempt_superseded`, and changes nothing. */
@Injectable()
export class ReportsService {
  // oxlint-disable-next-line slipway/max-params -- a report holds records, blobs and results of a job
  constructor(
    private readonly transactions: Transactions,
    private readonly jobs: JobsRepository,
    private readonly records: RecordsRepository,
    private readonly checkpoints: Checkpoints,
    private readonly adapters: AdaptersRepository,
    private readonly uses: BlobUsesRepository,
    private readonly blobs: BlobStore,
    private readonly secrets: InstallationSecrets,
    private readonly tickets: Tickets,
    private readonly door: BlobDoor,
    private readonly quotas: QuotasService,
    private readonly metrics: TuningMetrics,
  ) {}

  /** A ticket to write one blob; none where the account has it already. */
  async store({ tw, job, attempt, bytes, sha256 }: z.output<typeof StoreBlob.request>): Promise<z.input<typeof StoreBlob.reply>> {
    const account = await this.transactions.run(async (tx) => {
      const row = await this.#current(tx, { tw, job, attempt });
      return (await this.uses.touch(tx, { account: row.account, sha256 })) === null ? row.account : null;
    });
    if (account === null) return { url: null, ticket: null };
    await this.blobs.requireRoom(2 * bytes);
    const { ticket } = await this.tickets.issue({ verb: 'write', account, subject: sha256, bytes, name: '' });
    return { url: `${this.door.url}/b/${sha256}?t=${ticket}`, ticket };
  }

  /** Stores a report in one transaction. A repeated one changes nothing and is answered alike. */
  report(request: Request): Promise<Reply> {
    return this.transactions.run(async (tx) => {
      const { job, attempt, seq } = request;
      const known = await this.#attempt(tx, job, attempt);
      if (!known || known.worker !== request.tw) throw superseded();
      const locked = await this.jobs.lock(tx, job);
      if (!locked) throw superseded();
      if (seq <= known.seq) return { seq, desired: locked.desired, adapter: locked.attempt === attempt ? locked.adapter_id : null };
      const isCurrent = locked.attempt === attempt && locked.worker === request.tw && PLACED.includes(locked.state);
      if (!isCurrent && request.late !== true) throw superseded();
      await tx.query(`UPDATE job_attempt SET seq = $3 WHERE job_id = $1 AND attempt = $2`, [job, attempt, seq]);
      return isCurrent ? this.#take(tx, locked, request) : this.#addLate(tx, locked, request);
    });
  }

  async #take(tx: Tx, locked: JobRow, request: Request): Promise<Reply> {
    const { job, seq } = request;
    await this.#addRecords(tx, locked, request);
    const excess = await this.#excess(tx, locked, request);
    if (excess) {
      await this.#end(tx, locked, { ...request, state: 'failed' }, excess);
      return { seq, desired: 'cancel', adapter: null };
    }
    const adapter = await this.#addAdapter(tx, locked, request);
    const change = changeOf(locked, request, adapter);
    await this.jobs.change(tx, job, change);
    if (typeof change.steps_per_s === 'number') this.metrics.steps(change.steps_per_s);
    await this.#end(tx, locked, request, change);
    return { seq, desired: locked.desired, adapter: adapter ?? locked.adapter_id };
  }

  /** What a worker that died had not reported. Figures and samples of a later attempt stand. */
  async #addLate(tx: Tx, row: JobRow, { attempt, seq, metrics, events, samples, log }: Request): Promise<Reply> {
    await this.#addRecords(tx, { ...row, attempt }, { late: true, metrics, events, samples, log });
    return { seq, desired: 'cancel', adapter: null };
  }

  /** Ends a job that learns more than its account may, now that the worker has counted. Its next report is refused, so its worker ends it. */
  async #excess(tx: Tx, row: JobRow, { learned_tokens: tokens }: Request): Promise<JobChange | null> {
    const refusal = tokens === undefined ? null : await this.quotas.tokenExcess(tx, row.account, tokens, row.learned_tokens ?? 0);
    if (!refusal) return null;
    const { message: detail } = refusal;
    const change = { ...freed, state: 'failed', reason: 'quota_exceeded', detail, finished_at: new Date() } as const;
    await this.jobs.change(tx, row.id, change);
    await this.jobs.addEvent(tx, row.id, { level: 'error', code: 'failed', message: detail, data: { code: change.reason } });
    return change;
  }

  async #attempt(tx: Tx, job: JobId, attempt: number): Promise<Attempt | null> {
    const found = `SELECT worker, seq FROM job_attempt WHERE job_id = $1 AND attempt = $2 FOR UPDATE`;
    return (await tx.query<Attempt[]>(found, [job, attempt]))[0] ?? null;
  }

  async #current(tx: Tx, { tw, job, attempt }: { tw: string; job: JobId; attempt: number }): Promise<JobRow> {
    const row = await this.jobs.lock(tx, job);
    if (!row || row.attempt !== attempt || row.worker !== tw || !PLACED.includes(row.state)) throw superseded();
    return row;
  }

  async #addRecords(tx: Tx, { id, account, attempt, device_seconds: before }: JobRow, request: Records): Promise<void> {
    const seal = (text: string): string => this.secrets.sealText(account, text);
    await this.records.addMetrics(tx, id, attempt, request.metrics ?? []);
    for (const event of request.events ?? []) await this.jobs.addEvent(tx, id, event);
    const samples = (request.samples ?? []).map((sample) => ({
      step: sample.step,
      prompt_no: sample.prompt_no,
      text: seal(JSON.stringify(sample)),
    }));
    await this.records.addSamples(tx, id, samples, request.late);
    await this.records.addLog(
      tx,
      id,
      attempt,
      (request.log ?? []).map(({ at, text }) => ({ at, text: seal(text) })),
    );
    if (request.checkpoint) await this.#addCheckpoint(tx, { id, account, attempt }, request.checkpoint);
    if (request.device_seconds === undefined) return;
    const spent = `UPDATE job_attempt SET device_seconds = greatest(device_seconds, $3) WHERE job_id = $1 AND attempt = $2`;
    await tx.query(spent, [id, attempt, request.device_seconds]);
    const total = `SELECT sum(device_seconds)::float8 AS seconds FROM job_attempt WHERE job_id = $1`;
    const [row] = await tx.query<[{ seconds: number }]>(total, [id]);
    await this.jobs.change(tx, id, { device_seconds: Math.max(before, row.seconds) });
  }

  /** Keeps the best checkpoints and the newest one. Its blobs were stored before it was reported. */
  async #addCheckpoint(
    tx: Tx,
    { id, account, attempt }: Pick<JobRow, 'id' | 'account' | 'attempt'>,
    { adapter, state, ...checkpoint }: NonNullable<Request['checkpoint']>,
  ): Promise<void> {
    await this.#use(tx, account, checkpointOwner(id, checkpoint.step), [adapter, ...(state === null ? [] : [state])]);
    await this.records.addCheckpoint(tx, id, { ...checkpoint, attempt, adapter, state });
    const best = await this.records.checkpoints(tx, id);
    const newest = Math.max(...best.map(({ step }) => step));
    const dropped = best.filter(({ step }, i) => i >= BEST_KEPT && step !== newest).map(({ step }) => step);
    await this.checkpoints.drop(tx, { id, account }, dropped);
  }

  async #addAdapter(tx: Tx, row: JobRow, request: Request): Promise<AdapterId | null> {
    const { adapter: trained, verdict = null, answers } = request;
    if (!trained || row.adapter_id !== null) return row.adapter_id;
    const sealed = answers ? this.secrets.sealText(row.account, JSON.stringify(answers)) : null;
    const id = await this.adapters.insert(tx, originOf(row, trained.step), { trained, verdict, answers: sealed });
    this.metrics.adapter(trained.witness.distance);
    await this.#use(tx, row.account, adapterOwner(id), [trained.gguf.sha256, trained.peft.sha256]);
    return id;
  }

  async #use(tx: Tx, account: AccountId, owner: string, blobs: readonly string[]): Promise<void> {
    for (const sha256 of new Set(blobs)) {
      if ((await this.uses.touch(tx, { account, sha256 })) === null)
        throw new ServiceError('invalid_request', 'The report names a file that is not stored.', { param: 'sha256' });
      await this.uses.use(tx, { account, sha256 }, owner);
    }
  }

  /** Frees what a job that is over, or paused, does not need any more. */
  async #end(tx: Tx, row: JobRow, { state }: Request, change: JobChange): Promise<void> {
    if (change.worker !== null) return;
    await this.jobs.endAttempt(tx, row, state ?? 'ended');
    this.metrics.ended(state ?? 'ended');
    if (ENDED.includes(change.state as JobState) && change.state !== 'failed') await this.checkpoints.dropAll(tx, row);
    await announceWork(tx);
  }
}

const originOf = (job: JobRow, step: number): AdapterOrigin => ({
  ...{ account: job.account, name: job.name, job_id: job.id, step, base: job.base, base_path: job.base_facts.path },
  ...{ dataset_id: job.dataset_id, dataset_name: job.dataset_name, dataset_version: job.version },
  ...{ actor: job.actor, actor_id: job.actor_id, actor_name: job.actor_name },
});

const freed = { worker: null, slot: null } as const;

/** What a report changes of its job. */
const changeOf = (row: JobRow, request: Request, adapter: AdapterId | null): JobChange => ({
  ...stateOf(row, request),
  ...(request.steps !== undefined && { steps: request.steps }),
  ...(request.learned_tokens !== undefined && { learned_tokens: request.learned_tokens }),
  ...(request.progress !== undefined && { progress: request.progress }),
  ...curveOf(row, request.metrics ?? []),
  ...(adapter !== null && { adapter_id: adapter, passed: request.verdict?.passed ?? row.passed }),
});

/** Where the curve is after these points. */
function curveOf(row: JobRow, points: NonNullable<Request['metrics']>): JobChange {
  const newest = points.toSorted((a, b) => a.step - b.step).at(-1);
  if (!newest) return {};
  const held = points.findLast(({ held_loss }) => held_loss !== null)?.held_loss ?? row.held_loss;
  const { step, epoch, loss } = newest;
  return { step, epoch: epoch ?? row.epoch, loss: loss ?? row.loss, held_loss: held, steps_per_s: paceOf(row, points) };
}

/** Steps a second, smoothed; the row's own while too little came. */
function paceOf(row: JobRow, points: NonNullable<Request['metrics']>): number | null {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || last.step <= first.step) return row.steps_per_s;
  const seconds = (Date.parse(last.at) - Date.parse(first.at)) / 1_000;
  if (seconds <= 0) return row.steps_per_s;
  const now = (last.step - first.step) / seconds;
  return row.steps_per_s === null ? now : 0.7 * row.steps_per_s + 0.3 * now;
}

function stateOf(row: JobRow, { state, reason, detail }: Request): JobChange {
  const now = new Date();
  const why = { reason: reason ?? null, detail: detail ?? null };
  switch (state) {
    case undefined:
      return {};
    case 'paused':
      // Someone resumed it while it paused.
      if (row.desired === 'run') return { ...freed, state: 'queued', queued_at: now, reason: null, detail: null, progress: null };
      return { ...freed, ...why, state: 'paused', paused_at: now };
    case 'succeeded':
    case 'cancelled':
    case 'failed':
      return { ...freed, ...why, state, finished_at: now };
    default:
      // A stop that was asked for stays visible until it is done.
      if (row.state === 'pausing' || row.state === 'cancelling') return {};
      return { state, reason: reason ?? (state === 'running' && row.attempt > 1 ? 'resumed' : null), detail: detail ?? null };
  }
}

const superseded = (): ServiceError =>
  new ServiceError('attempt_superseded', 'Another attempt of this job runs, or the job is over. End this one.');
