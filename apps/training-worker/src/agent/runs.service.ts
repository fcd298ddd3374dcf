import { rmSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { type Incarnation, type JobId, type TrainingAssignment, type TrainingItem } from '@slipway/contracts';
import { CONFIG, LOG, type Logger, LogThreshold, RpcClient } from '@slipway/platform';
import type { TrainingWorkerConfig } from '../config.js';
import type { TrainerSettings } from '../trainers/trainers.js';
import { TRAINER_ID } from './agent-tokens.js';
import { BasesService } from './bases.service.js';
import { BlobFiles } from './blob-files.js';
import { type ImportItem, ImportRun } from './import-run.js';
import { type MeasureItem, MeasureRun } from './measure-run.js';
import { LeftReports } from './left-reports.js';
import { trainingMemory } from './training-memory.js';
import { type JobItem, TrainingRun } from './training-run.js';

function keyOf(item: TrainingItem): string {
  if (item.kind === 'job') return `job-${item.job}-${item.attempt}`;
  return item.kind === 'import' ? `import-${item.import}` : `measure-${item.dataset}-${item.version}-${item.base}`;
}

/** What runs beside jobs: counts, and checks of adapters from outside. */
type SideRun = Pick<MeasureRun, 'ended' | 'end'>;

/** How long folders stay that were kept, or left by a worker that was killed, in milliseconds. */
const LEFT_MS = 86_400_000;
const TIDY_EVERY_MS = 3_600_000;

/** Runs what is assigned, and ends what is not any more. An item that is over is not started again. */
@Injectable()
export class RunsService {
  readonly #jobs = new Map<string, { readonly run: TrainingRun; readonly item: JobItem }>();
  readonly #sides = new Map<string, SideRun>();
  readonly #over = new Set<string>();
  readonly #blobs: BlobFiles;
  readonly #folder: string;
  readonly #left: LeftReports;
  #tidying: NodeJS.Timeout | undefined;
  #closed = false;
  #changed: () => void = () => undefined;

  constructor(
    @Inject(TRAINER_ID) private readonly tw: Incarnation,
    @Inject(CONFIG) private readonly config: TrainingWorkerConfig,
    @Inject(LOG) private readonly log: Logger,
    private readonly rpc: RpcClient,
    private readonly bases: BasesService,
    private readonly threshold: LogThreshold,
  ) {
    this.#blobs = new BlobFiles(rpc, config.BLOB_CA);
    this.#folder = resolve(config.TRAINING_DIR);
    this.#left = new LeftReports(this.#folder, rpc, log);
  }

  /** Takes over what workers before this one left. */
  async start(): Promise<void> {
    this.#left.start();
    await this.#tidy();
    this.#tidying = setInterval(() => void this.#tidy(), TIDY_EVERY_MS);
  }

  /** Removes the folders of jobs that were left a day ago. */
  async #tidy(): Promise<void> {
    const running = new Set([...this.#jobs.values()].map(({ item }) => String(item.job)));
    const jobs = join(this.#folder, 'jobs');
    for (const name of await readdir(jobs).catch(() => [])) {
      if (running.has(name)) continue;
      const folder = join(jobs, name);
      const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Infinity }));
      if (Date.now() - mtimeMs > LEFT_MS) await rm(folder, { recursive: true, force: true });
    }
  }

  /** Sets the callback for changes of what runs. */
  onChange(changed: () => void): void {
    this.#changed = changed;
  }

  apply({ items }: TrainingAssignment): void {
    if (this.#closed) return;
    const wanted = new Map(items.map((item) => [keyOf(item), item]));
    for (const [key, { run }] of this.#jobs) if (!wanted.has(key)) run.supersede();
    for (const [key, run] of this.#sides) if (!wanted.has(key)) run.end();
    for (const key of this.#over) if (!wanted.has(key)) this.#over.delete(key);
    for (const [key, item] of wanted) this.#place(key, item);
  }

  /** What runs in the slot now. */
  running(): { job: JobId; attempt: number } | null {
    const found = [...this.#jobs.values()].find(({ run }) => run.isRunning);
    return found ? { job: found.item.job, attempt: found.item.attempt } : null;
  }

  /** Ends everything without a report: another worker continues from the stored checkpoints. */
  async stop(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#tidying);
    const all = [...this.#jobs.values()].map(({ run }) => run);
    for (const run of all) run.leave();
    for (const run of this.#sides.values()) run.end();
    await Promise.all([this.#left.stop(), ...[...all, ...this.#sides.values()].map(({ ended }) => ended)]);
  }

  #place(key: string, item: TrainingItem): void {
    const running = this.#jobs.get(key);
    if (running && item.kind === 'job') running.run.want(item.desired, item.keep);
    if (running || this.#sides.has(key) || this.#over.has(key)) return;
    if (item.kind === 'job') this.#train(key, item);
    else this.#begin(key, item);
    this.#changed();
  }

  #train(key: string, item: JobItem): void {
    const { job, attempt, spec } = item;
    // What an earlier attempt left, or one of a worker before this one.
    rmSync(join(this.#folder, 'jobs', String(job)), { recursive: true, force: true });
    const base = this.bases.find(spec.base);
    const run = new TrainingRun({
      item,
      name: { tw: this.tw, job, attempt },
      base,
      folder: join(this.#folder, 'jobs', String(job), String(attempt)),
      journal: this.#left.pathOf(job, attempt),
      hashFolder: this.#folder,
      trainers: this.trainers,
      memory: trainingMemory(this.config),
      blobs: this.#blobs,
      rpc: this.rpc,
      threshold: this.threshold,
      onPace: (pace) => base && this.bases.measured(base.sha256, pace),
    });
    run.want(item.desired, item.keep);
    this.#jobs.set(key, { run, item });
    this.log.info({ job, attempt, trainer: spec.trainer }, 'training.started');
    void run.ended.then(() => {
      this.log.info({ job, attempt }, 'training.ended');
      this.#jobs.delete(key);
      this.#over.add(key);
      this.#changed();
    });
  }

  #begin(key: string, item: MeasureItem | ImportItem): void {
    const base = this.bases.find(item.base);
    if (!base) return;
    const { tw, rpc, log, threshold } = this;
    const common = { tw, base, log, folder: join(this.#folder, 'sides', key), blobs: this.#blobs, rpc, threshold };
    const { threads } = this.trainers;
    const run =
      item.kind === 'measure' ? new MeasureRun({ item, ...common }) : new ImportRun({ item, ...common, hashFolder: this.#folder, threads });
    this.#sides.set(key, run);
    void run.ended.then(() => {
      this.#sides.delete(key);
      this.#over.add(key);
    });
  }

  /** Where trainers are, and how they run. */
  get trainers(): TrainerSettings {
    const { TRAINERS_DIR: folder, TRAINING_THREADS: threads, TRAINERS: manifests, TRAINER_UID: uid } = this.config;
    const { TORCH_PYTHON: torchPython, RAY_ADDRESS: address, RAY_WORKERS: workers } = this.config;
    const cluster = address === undefined ? undefined : { address, workers };
    return { folder: resolve(folder), threads, manifests, uid, torchPython, cluster };
  }
}
