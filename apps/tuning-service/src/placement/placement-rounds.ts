import { Injectable } from '@nestjs/common';
import type { TrainerHeartbeat, TrainingItem } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import { Checkpoints } from '../jobs/checkpoints.js';
import { type JobRow, PLACED } from '../jobs/job-rows.js';
import { type JobChange, JobsRepository, type NewEvent } from '../jobs/jobs.repository.js';
import { MeasuresRepository, type OpenMeasure } from '../measures/measures.repository.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { canTrain, hindranceOf, type KnownBase, TrainerTable } from '../trainers/trainer-table.js';
import { TuningMetrics } from '../tuning-metrics.js';
import { diskNeeded, hasDisk } from './disk-need.js';
import { ImportRounds } from './import-rounds.js';
import { inLine } from './next-job.js';

/** How often a job's worker may be lost. */
const LOSSES_MAX = 3;
/** Days after which a paused job is cancelled. */
const PAUSED_DAYS = 30;
/** Examples whose tokens are counted of a file above this size, in bytes. */
const COUNTED_BYTES = 64 * 2 ** 20;
const SAMPLE = 2_000;

/** A slot of a worker that runs nothing. */
interface FreeSlot {
  readonly worker: TrainerHeartbeat;
  readonly slot: TrainerHeartbeat['slots'][number];
}

/** What one round came to. */
export interface RoundResult {
  /** What each worker must run, by its name. */
  readonly items: ReadonlyMap<string, TrainingItem[]>;
  /** True while a job is placed or waits, so that time alone can change something. */
  readonly isBusy: boolean;
}

/** One look at all jobs that are not over: queues them, frees those of lost workers, and places those whose turn it is. */
@Injectable()
export class PlacementRounds {
  // oxlint-disable-next-line slipway/max-params -- a round looks at jobs, counts, imports, quotas and workers
  constructor(
    private readonly transactions: Transactions,
    private readonly jobs: JobsRepository,
    private readonly checkpoints: Checkpoints,
    private readonly measures: MeasuresRepository,
    private readonly quotas: QuotasService,
    private readonly table: TrainerTable,
    private readonly metrics: TuningMetrics,
    private readonly imports: ImportRounds,
  ) {}

  async run(): Promise<RoundResult> {
    const open = await this.transactions.read((connection) => this.jobs.open(connection));
    for (const row of open) await this.#advance(row);
    const rows = await this.transactions.read((connection) => this.jobs.open(connection));
    await this.#place(rows);
    const placed = await this.transactions.read((connection) => this.jobs.open(connection));
    this.metrics.jobs(placed.map(({ state }) => state));
    const measures = await this.transactions.read((connection) => this.measures.open(connection));
    const items = this.#itemsOf(placed, measures);
    const imports = await this.imports.run();
    for (const [worker, item] of imports) items.set(worker, [...(items.get(worker) ?? []), item]);
    return { items, isBusy: placed.some(({ state }) => state !== 'paused') || measures.length + imports.size > 0 };
  }

  /** What time and people did to a job, apart from its place on a worker. */
  async #advance(row: JobRow): Promise<void> {
    if (row.state === 'validating') await this.#queue(row);
    if (PLACED.includes(row.state) && this.#isLost(row)) await this.#lose(row);
    const isOld = row.paused_at !== null && Date.now() - row.paused_at.getTime() > PAUSED_DAYS * 86_400_000;
    if (row.state === 'paused' && isOld) {
      const message = `It was paused for ${PAUSED_DAYS} days.`;
      await this.#change(
        row,
        { state: 'cancelled', desired: 'cancel', detail: message, finished_at: new Date() },
        { level: 'warn', code: 'cancelled', message, data: {} },
      );
    }
  }

  async #queue(row: JobRow): Promise<void> {
    const event = { level: 'info', code: 'queued', message: 'The job waits for a slot.', data: {} } as const;
    await this.#change(row, { state: 'queued', queued_at: new Date() }, event);
  }

  #isLost({ worker }: JobRow): boolean {
    return this.table.canJudge && !this.table.live().some(({ tw }) => tw === worker);
  }

  async #lose(row: JobRow): Promise<void> {
    const [losses, worker] = [row.losses + 1, { worker: null, slot: null, host: null }];
    const data = { worker: row.worker, host: row.host, from_step: row.newest_step };
    const event = { level: 'warn', code: 'worker_lost', message: `The worker on ${row.host ?? 'its host'} was lost.`, data } as const;
    const now = new Date();
    const isKept = row.keep && row.newest_step !== null;
    if (row.desired === 'cancel' && !isKept)
      return this.#change(row, { state: 'cancelled', ...worker, finished_at: now }, event, 'worker_lost');
    if (row.desired === 'pause') return this.#change(row, { state: 'paused', ...worker, losses, paused_at: now }, event, 'worker_lost');
    if (losses >= LOSSES_MAX) {
      const detail = `Its worker was lost ${losses} times. Look at the memory and the log of the workers.`;
      return this.#change(
        row,
        { state: 'failed', reason: 'worker_lost', detail, losses, ...worker, finished_at: now },
        event,
        'worker_lost',
      );
    }
    return this.#change(row, { state: 'queued', reason: null, detail: null, losses, ...worker, progress: null }, event, 'worker_lost');
  }

  /** Changes a job unless something else changed it since it was read. */
  async #change(row: JobRow, change: JobChange, event: NewEvent, ending?: string): Promise<void> {
    await this.transactions.run(async (tx) => {
      const now = await this.#unchanged(tx, row);
      if (!now) return;
      await this.jobs.change(tx, row.id, change);
      await this.jobs.addEvent(tx, row.id, event);
      if (change.state === 'cancelled') await this.checkpoints.dropAll(tx, row);
      if (ending === undefined) return;
      await this.jobs.endAttempt(tx, row, ending);
      this.metrics.ended(ending);
    });
  }

  async #unchanged(tx: Tx, row: JobRow): Promise<JobRow | null> {
    const now = await this.jobs.lock(tx, row.id);
    return now && now.state === row.state && now.attempt === row.attempt && now.desired === row.desired ? now : null;
  }

  async #place(rows: readonly JobRow[]): Promise<void> {
    const queued = rows.filter(({ state }) => state === 'queued');
    if (queued.length === 0) return;
    const running = new Map<number, number>();
    for (const { account, state } of rows) if (PLACED.includes(state)) running.set(account, (running.get(account) ?? 0) + 1);
    const deviceSeconds = await this.transactions.read((connection) => this.jobs.deviceSeconds(connection));
    const free = this.#freeSlots(rows);
    const bases = this.table.bases();
    for (const row of this.line(queued, running, deviceSeconds)) {
      const { running_jobs: most } = await this.transactions.read((connection) => this.quotas.of(connection, row.account));
      const isFull = (running.get(row.account) ?? 0) >= most;
      const found = isFull ? null : free.find((one) => fits(row, one));
      if (!found) {
        await this.#wait(
          row,
          isFull
            ? { reason: 'account_limit', detail: `The account may run ${most} ${most === 1 ? 'job' : 'jobs'} at one time.` }
            : waitOf(row, bases, free),
        );
        continue;
      }
      free.splice(free.indexOf(found), 1);
      running.set(row.account, (running.get(row.account) ?? 0) + 1);
      await this.#assign(row, found);
    }
  }

  /** Waiting jobs in the order of their turns. */
  line(queued: readonly JobRow[], running: ReadonlyMap<number, number>, deviceSeconds: ReadonlyMap<number, number>): JobRow[] {
    const waiting = queued.map((row) => ({ ...row, queuedAt: row.queued_at?.getTime() ?? 0 }));
    const byId = new Map(queued.map((row) => [row.id as number, row]));
    return inLine(waiting, { running, deviceSeconds }).flatMap(({ id }) => byId.get(id) ?? []);
  }

  #freeSlots(rows: readonly JobRow[]): FreeSlot[] {
    const taken = new Set(rows.filter(({ state }) => PLACED.includes(state)).map(({ worker, slot }) => `${worker}/${slot}`));
    const workers = this.table.live().filter(({ draining }) => !draining);
    return workers.flatMap((worker) => worker.slots.filter(({ id }) => !taken.has(`${worker.tw}/${id}`)).map((slot) => ({ worker, slot })));
  }

  async #assign(row: JobRow, { worker, slot }: FreeSlot): Promise<void> {
    await this.transactions.run(async (tx) => {
      const now = await this.#unchanged(tx, row);
      if (!now) return;
      const attempt = row.attempt + 1;
      const where = { worker: worker.tw, slot: slot.id, host: worker.host };
      const change = { ...where, attempt, state: 'starting', reason: null, detail: null, progress: 0, placed_at: new Date() } as const;
      await this.jobs.change(tx, row.id, { ...change, started_at: row.started_at ?? new Date() });
      await this.jobs.beginAttempt(tx, row, { ...where, attempt, device: slot.device });
      const data = { host: worker.host, slot: slot.id, attempt, from_step: row.newest_step };
      this.metrics.queued((Date.now() - (row.queued_at?.getTime() ?? Date.now())) / 1_000);
      await this.jobs.addEvent(tx, row.id, { level: 'info', code: 'placed', message: `It starts on ${worker.host}.`, data });
    });
  }

  async #wait(row: JobRow, why: { reason: string; detail: string }): Promise<void> {
    if (row.reason === why.reason && row.detail === why.detail) return;
    await this.transactions.run(async (tx) => {
      if (await this.#unchanged(tx, row)) await this.jobs.change(tx, row.id, why);
    });
  }

  #itemsOf(rows: readonly JobRow[], measures: readonly OpenMeasure[]): Map<string, TrainingItem[]> {
    const items = new Map<string, TrainingItem[]>();
    const give = (worker: string, item: TrainingItem): void => void items.set(worker, [...(items.get(worker) ?? []), item]);
    for (const row of rows) if (row.worker !== null && PLACED.includes(row.state)) give(row.worker, itemOf(row));
    const bases = this.table.bases();
    for (const { account, dataset, version, base, base_sha256, bytes } of measures) {
      const worker = bases.get(base)?.workers.find((one) => !one.draining && one.bases.some(({ sha256 }) => sha256 === base_sha256));
      if (worker) give(worker.tw, { kind: 'measure', account, dataset, version, base, sample: bytes > COUNTED_BYTES ? SAMPLE : null });
    }
    return items;
  }
}

function fits(row: JobRow, { worker, slot }: FreeSlot): boolean {
  const { spec } = row;
  const base = worker.bases.find(({ base: name, sha256 }) => name === spec.base && sha256 === spec.base_sha256);
  const trainer = worker.trainers.find(({ name }) => name === spec.trainer);
  return (
    base !== undefined && trainer !== undefined && canTrain(trainer, base, spec.method) && hasDisk(row, worker) && hasMemory(row, slot)
  );
}

function waitOf(row: JobRow, bases: ReadonlyMap<string, KnownBase>, free: readonly FreeSlot[]): { reason: string; detail: string } {
  const known = bases.get(row.base);
  if (!known) return { reason: 'no_trainer', detail: `No connected training worker has the base ${row.base}.` };
  if (known.base.sha256 !== row.spec.base_sha256)
    return { reason: 'base_changed', detail: `The file of the base ${row.base} changed since the job was made. Make the job again.` };
  const hindrance = hindranceOf(known, row.spec.method);
  if (hindrance) return { reason: 'no_trainer', detail: hindrance.detail };
  const short = free.find(({ worker }) => known.workers.includes(worker) && !hasDisk(row, worker))?.worker;
  if (short) {
    const needed = (diskNeeded(row, short.disk_total) / 2 ** 30).toFixed(1);
    return { reason: 'no_disk', detail: `The training worker on ${short.host} needs ${needed} GiB of free disk for this job.` };
  }
  const small = free.find(({ worker, slot }) => known.workers.includes(worker) && !hasMemory(row, slot));
  if (small) {
    const [needed, given] = [memoryNeeded(row), small.slot.bytes].map((bytes) => (bytes / 2 ** 30).toFixed(2));
    const detail = `The training worker on ${small.worker.host} gives trainings ${given} GiB of memory, less than the ${needed} GiB of this job.`;
    return { reason: 'no_memory', detail };
  }
  return { reason: 'no_slot', detail: 'All slots are taken.' };
}

/** As planned, else the base at least; its worker looks again once it has counted. */
const memoryNeeded = ({ memory_bytes: planned, base_facts: base }: JobRow): number => planned ?? base.bytes;

const hasMemory = (row: JobRow, { bytes }: FreeSlot['slot']): boolean => bytes >= memoryNeeded(row);

const itemOf = (row: JobRow): TrainingItem => ({
  kind: 'job',
  ...{ job: row.id, account: row.account, attempt: row.attempt, slot: row.slot ?? '', desired: row.desired, keep: row.keep },
  ...{ dataset: row.dataset_id, version: row.version, spec: row.spec, gate: row.gate },
  keep_set:
    row.gate.keep_dataset !== undefined && row.keep_version !== null ? { dataset: row.gate.keep_dataset, version: row.keep_version } : null,
  resume: resumeOf(row),
});

/** The checkpoint from which a job goes on, or of which its adapter is made when it shall only be kept. */
function resumeOf({ desired, keep, best_step: best, newest_step: newest }: JobRow): { step: number } | null {
  const step = desired === 'cancel' && keep ? best : newest;
  return step === null || step === 0 ? null : { step };
}
