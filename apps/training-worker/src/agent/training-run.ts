import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { JobDesired, TrainerBase, TrainingItem } from '@slipway/contracts';
import { isServiceError } from '@slipway/contracts';
import type { FromTask, SentJob, SentOutcome } from '../job/job-messages.js';
import type { TrainerSettings } from '../trainers/trainers.js';
import { diskFull, isDiskFull, TrainingFault, type TrainingFaultCode } from '../training-fault.js';
import type { AdapterResult, CurvePoint, ScoredCheckpoint } from '../training/training-job.js';
import type { AttemptName, BlobFiles, TransferOptions } from './blob-files.js';
import { keepSetOf } from './keep-set.js';
import type { Metric, Report } from './pending-reports.js';
import { ReportQueue } from './report-queue.js';
import { TaskProcess } from './task-process.js';
import type { LogThreshold, RpcClient } from '@slipway/platform';

export type JobItem = Extract<TrainingItem, { kind: 'job' }>;

/** What a run needs of its worker. */
export interface TrainingRunOptions {
  readonly item: JobItem;
  readonly name: AttemptName;
  readonly base: TrainerBase | undefined;
  readonly folder: string;
  /** File of its reports. */
  readonly journal: string;
  readonly hashFolder: string;
  readonly trainers: TrainerSettings;
  /** Memory that its trainer may take, in bytes. */
  readonly memory: number;
  readonly blobs: BlobFiles;
  readonly rpc: RpcClient;
  readonly threshold: LogThreshold;
  /** Learned tokens a second, when it has ended. */
  readonly onPace: (tokensPerSecond: number) => void;
}

/** One attempt of a job on this worker: fetches its data, runs its process, stores what it makes, and reports. */
export class TrainingRun {
  /** Resolves when its last report is answered, or it was superseded. Never rejects. */
  readonly ended: Promise<void>;
  readonly #reports: ReportQueue;
  readonly #abort = new AbortController();
  /** Ends transfers that a stop makes needless. */
  readonly #halt = new AbortController();
  readonly #startedAt = performance.now();
  #process: TaskProcess | undefined;
  #stop: 'pause' | 'cancel' | 'keep' | null = null;
  #superseded = false;
  #isOver = false;
  #isTrained = false;
  /** Its files stay. */
  #isKept = false;
  #pace = 0;

  constructor(private readonly options: TrainingRunOptions) {
    const { rpc, name, journal } = options;
    this.#reports = new ReportQueue({
      rpc,
      journal,
      attempt: name,
      // Whether a cancelled job keeps what it has, only assignments say.
      onDesired: (desired) => desired === 'pause' && this.want(desired, false),
      onSuperseded: () => this.supersede(),
    });
    this.ended = this.#run();
  }

  /** Whether an adapter of the stored checkpoint is all that is left to do. */
  get #isKeptOnly(): boolean {
    return this.#stop === 'keep' && this.options.item.resume !== null;
  }

  /** Whether it still trains; false while its last reports are on the way. */
  get isRunning(): boolean {
    return !this.#isOver;
  }

  /** Passes on what the owner of the job wants. */
  want(desired: JobDesired, keep: boolean): void {
    if (desired === 'run') return;
    const how = desired === 'cancel' && keep ? 'keep' : desired;
    if (this.#stop === how || this.#stop === 'cancel' || (this.#stop === 'keep' && how === 'pause')) return;
    this.#stop = how;
    this.#process?.stop(how);
    // What shall be kept is still worth a transfer.
    if (how === 'cancel' || (!this.#process && !this.#isKeptOnly)) this.#halt.abort(new Error('The job shall stop.'));
  }

  /** Ends it at once without a report: another worker has the job. */
  supersede(): void {
    this.#reports.drop();
    this.leave();
  }

  /** Ends it at once, because its worker ends: what was not reported is by the next one. */
  leave(): void {
    this.#superseded = true;
    this.#reports.close();
    for (const one of [this.#abort, this.#halt]) one.abort(new Error('The attempt was superseded.'));
    this.#process?.kill();
  }

  async #run(): Promise<void> {
    try {
      this.#reports.add({ state: 'starting', progress: 0 });
      const outcome = await this.#train();
      this.#isOver = true;
      if (!this.#superseded) await this.#finish(outcome);
    } catch (error) {
      this.#isOver = true;
      if (!this.#superseded && !(isServiceError(error) && error.code === 'attempt_superseded')) this.#fail(error);
    }
    if (!this.#superseded) await this.#reports.settled();
    this.#reports.close();
    if (!this.#isKept || this.#superseded) await rm(this.options.folder, { recursive: true, force: true }).catch(() => undefined);
  }

  async #train(): Promise<SentOutcome> {
    const job = await this.#fetch().catch((error: unknown) => {
      if (this.#stop) return null;
      throw error;
    });
    if (!job || (this.#stop && !this.#isKeptOnly))
      return this.#stop === 'pause' ? { state: 'paused' } : { state: 'cancelled', adapter: null };
    const { trainers, threshold } = this.options;
    let outcome: SentOutcome | undefined;
    const process = new TaskProcess({ k: 'train', job, trainers }, threshold, (message) => {
      if (message.k === 'outcome') ({ outcome } = message);
      else this.#take(message);
    });
    this.#process = process;
    const how = await process.ended;
    if (outcome) return outcome;
    return { state: 'failed', code: 'trainer_crashed', message: `The process of the job ended with ${how}.` };
  }

  /** Fetches what the job reads. @throws TrainingFault */
  async #fetch(): Promise<SentJob> {
    const { item, base, folder, blobs, hashFolder, trainers, memory } = this.options;
    const { account, dataset, version, spec, job } = item;
    if (!base) throw new TrainingFault('base_not_trainable', `This worker has no base "${spec.base}".`);
    await rm(folder, { recursive: true, force: true });
    const patient = this.#patient();
    const files = { data: join(folder, 'data.jsonl'), adapter: join(folder, 'resume.gguf'), state: join(folder, 'resume.tar') };
    await blobs.fetch({ of: 'version', account, dataset, version }, files.data, patient);
    const step = item.resume?.step;
    if (step !== undefined) {
      await blobs.fetch({ of: 'checkpoint', account, job, step, part: 'adapter' }, files.adapter, patient);
      await blobs.fetch({ of: 'checkpoint', account, job, step, part: 'state' }, files.state, patient);
    }
    return {
      folder: resolve(folder),
      trainer: spec.trainer,
      base: { path: base.path, sha256: spec.base_sha256, templateSha256: spec.template_sha256 },
      dataset: files.data,
      ...(await this.#keepSet()),
      settings: settingsOf(spec),
      hashFolder,
      threads: trainers.threads,
      memory,
      resume: step === undefined ? null : { step, adapter: files.adapter, state: files.state },
      keepOnly: this.#isKeptOnly,
    };
  }

  /** The keep set that the job names, else the one of its base. */
  async #keepSet(): Promise<Pick<SentJob, 'keepSet' | 'gate'>> {
    const { item, folder, hashFolder, blobs } = this.options;
    const ofBase = await keepSetOf(item.spec.base_sha256, hashFolder);
    const gate = ofBase ? { keep_points: ofBase.points, ...item.gate } : item.gate;
    const path = join(folder, 'keep.jsonl');
    if (item.keep_set) await blobs.fetch({ of: 'version', account: item.account, ...item.keep_set }, path, this.#patient());
    else if (ofBase) await writeFile(path, ofBase.text);
    else return { keepSet: null, gate };
    return { keepSet: path, gate };
  }

  #take(message: Exclude<FromTask, { k: 'outcome' }>): void {
    const at = new Date().toISOString();
    if (message.k === 'state') this.#isTrained ||= message.state === 'finishing';
    if (message.k === 'state') this.#reports.add({ state: message.state, progress: message.progress, device_seconds: this.#seconds() });
    if (message.k === 'plan') this.#reports.add({ steps: message.steps, learned_tokens: message.learnedTokens });
    if (message.k === 'point') {
      this.#pace = message.point.tokensPerSecond ?? this.#pace;
      this.#reports.point(metricOf(message.point, at));
    }
    if (message.k === 'event') this.#reports.event({ at, ...message.event, data: { ...message.event.data } });
    if (message.k === 'samples') this.#reports.samples([...message.samples]);
    if (message.k === 'log') this.#reports.log(message.line);
    if (message.k === 'checkpoint') void this.#store(message.no, message.checkpoint);
  }

  async #store(no: number, checkpoint: ScoredCheckpoint): Promise<void> {
    const { blobs, name } = this.options;
    const { step, bytes, heldLoss, degenerate } = checkpoint;
    try {
      const { signal } = this.#abort;
      const adapter = await blobs.store(checkpoint.adapter, name, { signal });
      const state = await blobs.store(checkpoint.state, name, { signal });
      const stored = { step, bytes, held_loss: heldLoss, degenerate, adapter: adapter.sha256, state: state.sha256 };
      this.#reports.add({ checkpoint: stored, device_seconds: this.#seconds() });
      this.#process?.stored(no, true);
    } catch (error) {
      if (isServiceError(error) && error.code === 'attempt_superseded') this.supersede();
      this.#process?.stored(no, false);
    }
  }

  async #finish(outcome: SentOutcome): Promise<void> {
    if (this.#pace > 0) this.options.onPace(this.#pace);
    const seconds = { device_seconds: this.#seconds() };
    if (outcome.state === 'failed') this.#addFailure(outcome.code, outcome.message, seconds);
    if (outcome.state === 'paused') this.#reports.add({ state: 'paused', ...seconds });
    if (outcome.state !== 'succeeded' && outcome.state !== 'cancelled') return;
    const { adapter } = outcome;
    const result = adapter && (await this.#result(adapter));
    this.#reports.add({ state: outcome.state, ...seconds, ...result });
  }

  /** Transfers that the job cannot go on without. */
  #patient(): TransferOptions {
    return {
      signal: this.#halt.signal,
      isPatient: true,
      onAway: (reason) => {
        const is = reason === 'full' ? 'is full' : 'does not answer';
        const message = `The blob store ${is}. The worker tries again for an hour.`;
        this.#reports.event({ at: new Date().toISOString(), level: 'warn', code: 'storage_away', message, data: { reason } });
      },
    };
  }

  async #result(adapter: AdapterResult): Promise<Report> {
    const { blobs, name } = this.options;
    const { step, rank, alpha, modules, baseSha256, templateSha256, tokenizerSha256, witness, verdict, pairs } = adapter;
    const patient = this.#patient();
    const gguf = await blobs.store(adapter.gguf, name, patient);
    const peft = await blobs.store(adapter.peft, name, patient);
    const hashes = { base_sha256: baseSha256, template_sha256: templateSha256, tokenizer_sha256: tokenizerSha256 };
    return {
      adapter: { step, gguf, peft, rank, alpha, modules: [...modules], ...hashes, witness },
      verdict,
      answers: [...pairs],
    };
  }

  /** What was trained is not lost with the room for it: an operator can still fetch it. */
  #sayKept(): void {
    const { folder, name } = this.options;
    const message = `Its files stay for 24 hours on the worker, in jobs/${name.job}/${name.attempt}.`;
    if (existsSync(folder))
      this.#reports.event({ at: new Date().toISOString(), level: 'warn', code: 'kept', message, data: { hours: 24 } });
  }

  #fail(error: unknown): void {
    // What it was doing was given up because of the cancel.
    if (this.#stop === 'cancel') return this.#reports.add({ state: 'cancelled', device_seconds: this.#seconds() });
    const known = isDiskFull(error) ? diskFull() : error;
    const fault = known instanceof TrainingFault ? known : null;
    this.#addFailure(fault?.code ?? 'trainer_failed', fault?.message ?? 'The job failed on the worker.');
  }

  #addFailure(code: TrainingFaultCode, message: string, more: Report = {}): void {
    this.#isKept = this.#isTrained && (code === 'no_disk' || code === 'storage_failed');
    if (this.#isKept) this.#sayKept();
    this.#reports.add({ ...failure(code, message), ...more });
  }

  #seconds(): number {
    return (performance.now() - this.#startedAt) / 1_000;
  }
}

/** Of services that do not say, which are older than preference training. */
const BETA = 0.1;

/** The contract has no word for a fault of the worker itself. */
const reasonOf = (code: TrainingFaultCode): NonNullable<Report['reason']> => (code === 'trainer_failed' ? 'trainer_crashed' : code);

function failure(code: TrainingFaultCode, message: string): Report {
  const event = { at: new Date().toISOString(), level: 'error' as const, code: 'failed', message: message.slice(0, 500), data: { code } };
  return { state: 'failed', reason: reasonOf(code), detail: message.slice(0, 1_000), events: [event] };
}

function settingsOf(spec: JobItem['spec']): SentJob['settings'] {
  const { rank, alpha, learning_rate: rate, schedule, epochs, seed, held_out: heldOut, learned = [] } = spec;
  const { method, batch = 1, beta = BETA } = spec;
  const limits = { tooLong: spec.too_long, earlyStop: spec.early_stop, timeLimitS: spec.time_limit_s };
  return { rank, alpha, rate, schedule, epochs, seed, batch, method, beta, heldOut, learned, ...limits };
}

function metricOf(point: CurvePoint, at: string): Metric {
  const { step, epoch, loss, heldLoss, accuracy, margin, rate, tokensPerSecond } = point;
  return { step, at, epoch, loss, held_loss: heldLoss, accuracy, margin, lr: rate, tokens_per_s: tokensPerSecond };
}
