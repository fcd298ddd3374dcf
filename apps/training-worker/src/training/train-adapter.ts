import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { paddedTokens, trainingMemory } from '@slipway/contracts';
import type { AdapterScorer, LlamaScorer } from '../scoring.js';
import { TrainingFault } from '../training-fault.js';
import type { TrainerEvent } from '../trainers/trainer-events.js';
import type { TrainerLimits } from '../trainers/trainer-start.js';
import type { RunSettings, TrainerEnd, TrainerProcess } from '../trainers/trainer.js';
import { type BaseScores, withScorer } from './base-scores.js';
import { type CheckpointScore, CheckpointScores } from './checkpoint-scores.js';
import type { PreparedDataset } from './prepare-dataset.js';
import { StepWatch } from './step-watch.js';
import { type JobSettings, type ResumePoint, StopTraining, type TrainingJob, type TrainingSink } from './training-job.js';

/** Checkpoints of a run, about. */
const CHECKPOINTS = 20;
/** Share of the rate that it falls to; a rate of 0 ends some trainers. */
const LEAST_RATE_SHARE = 0.01;
const LEAST_RATE = 1e-7;
/** Matrices that get an adapter, as GGUF names them. */
const MODULES = ['attn_q', 'attn_k', 'attn_v', 'attn_o', 'ffn_gate', 'ffn_up', 'ffn_down'];

/** What a training needs. */
export interface TrainInput {
  readonly job: TrainingJob;
  /** Folder of the trainer's run, with the data. */
  readonly run: string;
  readonly prepared: PreparedDataset;
  readonly scorer: LlamaScorer;
  readonly context: number;
  readonly base: BaseScores;
  readonly sink: TrainingSink;
  readonly signal: AbortSignal;
}

/** A training that is over. */
export interface Trained {
  readonly end: 'saved' | 'paused' | 'cancelled';
  /** Null when no checkpoint holds an adapter. */
  readonly best: CheckpointScore | null;
}

/**
 * Trains until the end, a fault or a stop, and scores the checkpoints meanwhile.
 * @throws TrainingFault
 */
export async function trainAdapter(input: TrainInput): Promise<Trained> {
  const { run, sink, job } = input;
  const settings = {
    ...settingsOf({ base: job.base.path, prepared: input.prepared, settings: job.settings }),
    ...(job.resume && { resume: { step: job.resume.step, path: 'resume' } }),
  };
  await assertMemory(input, settings);
  const steps = stepsOf(input.prepared.examples, settings);
  sink.plan({ steps, learnedTokens: input.prepared.learnedTokens * settings.epochs });
  return withScorer(input.scorer, null, input.context, async (plain) => {
    const watched = new WatchedRun(input, plain);
    if (job.resume) watched.addResumed(job.resume);
    const process = await job.trainer.start({ folder: run, settings, limits: await limitsOf(input) }, watched);
    const end = await watched.follow(process);
    return watched.result(end, steps);
  });
}

/** Scores the checkpoint that a cancelled job left, and trains no further. */
export async function keepCheckpoint(input: TrainInput, resume: ResumePoint): Promise<Trained> {
  return withScorer(input.scorer, null, input.context, async (plain) => {
    const watched = new WatchedRun(input, plain);
    watched.addResumed(resume);
    return watched.result({ kind: 'cancelled' }, resume.step);
  });
}

const gib = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(2)} GiB`;

/** @throws TrainingFault `out_of_memory` before the trainer takes what serving needs */
async function assertMemory({ job: { trainer, memory = Infinity }, scorer }: TrainInput, settings: RunSettings): Promise<void> {
  const { memory: facts } = await trainer.probe();
  const { size: bytes } = await stat(settings.base);
  const base = { bytes, shape: scorer.texts.shape ?? undefined };
  const need = facts ? trainingMemory(facts, { base, rank: settings.rank, tokens: settings.tokens }) : null;
  if (need === null || need <= memory) return;
  const advice = 'Use a smaller base or shorter examples, or give the worker more (TRAINING_MEM_BYTES).';
  const message = `This training takes about ${gib(need)} of memory, and its worker gives trainings ${gib(memory)}. ${advice}`;
  throw new TrainingFault('out_of_memory', message, { need, memory });
}

/** Files of a trainer are checkpoints and adapters, which are no larger than its base; small bases have a gibibyte. */
async function limitsOf({ job: { base, memory } }: TrainInput): Promise<TrainerLimits> {
  const { size } = await stat(base.path);
  return { fileBytes: Math.max(2 ** 30, 2 * size), ...(memory !== undefined && { memory }) };
}

/** What a trainer's settings are resolved from. */
interface SettingsInput {
  /** Path of the base. */
  readonly base: string;
  readonly prepared: PreparedDataset;
  readonly settings: Pick<JobSettings, 'rank' | 'alpha' | 'rate' | 'schedule' | 'epochs' | 'seed' | 'batch' | 'method' | 'beta'>;
}

/** Resolved settings for the trainer. */
export function settingsOf({ base, prepared, settings }: SettingsInput): RunSettings {
  const { rank, alpha, rate, schedule, epochs, seed, batch, method, beta } = settings;
  const leastRate = Math.max(rate * LEAST_RATE_SHARE, LEAST_RATE);
  return {
    base,
    held: prepared.held.length > 0,
    modules: MODULES,
    ...{ rank, alpha, rate, schedule, epochs, seed, batch, method, beta, leastRate },
    tokens: paddedTokens(prepared.longest),
    checkpointSteps: checkpointSteps(stepsOf(prepared.examples, { batch, epochs: 1 }), epochs),
  };
}

/** Steps of a run: the last one of an epoch may have fewer examples. */
const stepsOf = (examples: number, { batch, epochs }: { readonly batch: number; readonly epochs: number }): number =>
  Math.ceil(examples / batch) * epochs;

/**
 * Steps between checkpoints: about 20 in a run, and one at the end of each epoch that has any, because trainers that cannot resume
 * within an epoch then repeat nothing.
 */
export function checkpointSteps(ofEpoch: number, epochs: number): number {
  if (epochs >= CHECKPOINTS) return ofEpoch * Math.ceil(epochs / CHECKPOINTS);
  let perEpoch = Math.max(1, Math.min(ofEpoch, Math.round(CHECKPOINTS / epochs)));
  while (ofEpoch % perEpoch !== 0) perEpoch -= 1;
  return ofEpoch / perEpoch;
}

class WatchedRun {
  readonly #scores: CheckpointScores;
  readonly #watch: StepWatch;
  #process: TrainerProcess | undefined;
  #fault: TrainingFault | null = null;
  #lastStep = 0;
  #stoppedEarly = false;

  constructor(
    private readonly input: TrainInput,
    plain: AdapterScorer,
  ) {
    const { scorer, context, base, sink, signal, prepared, job } = input;
    // Checkpoints are scored and stored on a pause, too.
    const [packed, converted] = [join(job.folder, 'packed'), join(job.folder, 'converted')];
    this.#scores = new CheckpointScores({ scorer, plain, context, base, packed, converted, sink, signal: new AbortController().signal });
    this.#watch = new StepWatch({
      sink,
      firstLoss: job.resume ? null : base.firstLoss,
      baseLoss: base.trainLoss,
      tokensPerStep: prepared.learnedTokens / stepsOf(prepared.examples, { batch: job.settings.batch, epochs: 1 }),
      earlyStop: job.settings.earlyStop && base.isHeldOut && !signal.aborted,
    });
  }

  /** The checkpoint from which the run continues may stay the best one. */
  addResumed({ step, adapter }: ResumePoint): void {
    this.#scores.add({ step, folder: null, adapter });
  }

  /** Passes stops on to the trainer until it has ended. */
  async follow(process: TrainerProcess): Promise<TrainerEnd> {
    const { signal, job } = this.input;
    this.#process = process;
    if (this.#fault) process.kill();
    const stop = (): void => (signal.reason instanceof StopTraining && signal.reason.how === 'pause' ? process.pause() : process.cancel());
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    const overdue = setTimeout(() => {
      this.#fail(new TrainingFault('time_limit', `The training took longer than ${job.settings.timeLimitS} s.`));
    }, job.settings.timeLimitS * 1_000);
    try {
      return await process.ended;
    } finally {
      clearTimeout(overdue);
      signal.removeEventListener('abort', stop);
    }
  }

  async result(end: TrainerEnd, steps: number): Promise<Trained> {
    const { signal, sink } = this.input;
    if (end.kind === 'saved' && !this.#fault) this.#addSaved(end.path, steps);
    const scored = this.#scores.settled();
    // What is being scored must end before its model is freed.
    await scored.catch(() => undefined);
    if (this.#fault) throw this.#fault;
    if (end.kind === 'failed') throw end.fault;
    await scored;
    const { best } = this.#scores;
    if (end.kind === 'cancelled' && this.#stoppedEarly && !signal.aborted) {
      const message = 'The held-out examples got worse twice in a row, so the training ended early.';
      sink.event({ level: 'info', code: 'early_stopped', message, data: { step: this.#lastStep } });
      return { end: 'saved', best };
    }
    return { end: end.kind, best };
  }

  event(event: TrainerEvent): void {
    if (this.#fault) return;
    try {
      this.#take(event);
    } catch (error) {
      this.#fail(
        error instanceof TrainingFault
          ? error
          : new TrainingFault('trainer_failed', 'The training failed on the worker.', {}, { cause: error }),
      );
    }
  }

  log(line: string): void {
    this.input.sink.log(line);
  }

  #take(event: TrainerEvent): void {
    if (event.ev === 'ready') {
      this.input.sink.state('running', null);
      this.#watch.ready(event);
    }
    if (event.ev === 'step') {
      this.#lastStep = event.step;
      this.#watch.step(event);
    }
    if (event.ev === 'eval') this.#watch.evaluated(event);
    if (event.ev === 'checkpoint') this.#addCheckpoint(event);
    if (this.#watch.isWorse && !this.#stoppedEarly) {
      this.#stoppedEarly = true;
      this.#process?.cancel();
    }
  }

  #addCheckpoint({ step, path, adapter }: Extract<TrainerEvent, { ev: 'checkpoint' }>): void {
    const { run } = this.input;
    this.#scores.add({ step, folder: join(run, path), adapter: adapter === undefined ? null : join(run, adapter) });
  }

  /** The finished adapter is one of the candidates, unless the last checkpoint is the same. */
  #addSaved(path: string, steps: number): void {
    const isLast = this.#scores.has(steps);
    if (!isLast && existsSync(path)) this.#scores.add({ step: Math.max(steps, this.#lastStep), folder: null, adapter: path });
  }

  #fail(fault: TrainingFault): void {
    this.#fault ??= fault;
    this.#process?.kill();
  }
}
