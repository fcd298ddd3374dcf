import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { JobSample } from '@slipway/contracts';
import { packTar, sizeOf } from '../results/tar.js';
import type { LlamaScorer } from '../scoring.js';
import type { TrainerEvent } from '../trainers/trainer-events.js';
import { type BaseScores, withScorer } from './base-scores.js';
import { answersTo, type JudgedAnswer, meanLoss } from './example-scores.js';
import type { PreparedExample } from './prepared-example.js';
import type { ScoredCheckpoint, TrainingSink } from './training-job.js';

/** Kept beside the newest one. */
const BEST_KEPT = 3;
const TEXT_MAX = 2_000;

export type CheckpointEvent = Extract<TrainerEvent, { ev: 'checkpoint' }>;

/** How good a checkpoint is. */
export interface CheckpointScore {
  readonly step: number;
  /** Absolute path. */
  readonly adapter: string;
  readonly loss: number;
  readonly degenerate: number;
}

export interface CheckpointOptions {
  /** Folder of the run. */
  readonly folder: string;
  readonly scorer: LlamaScorer;
  readonly context: number;
  readonly base: BaseScores;
  readonly sink: TrainingSink;
  readonly signal: AbortSignal;
}

/** Fewer degenerate answers first, then the lower loss. A low loss alone does not tell: answers can loop at any of them. */
export const isBetter = (a: CheckpointScore, b: CheckpointScore): boolean =>
  a.degenerate === b.degenerate ? a.loss < b.loss : a.degenerate < b.degenerate;

/**
 * Scores checkpoints while training goes on, one at a time. When one takes longer than the way to the next, only the newest is
 * scored. The best three and the newest stay on disk.
 */
export class CheckpointScores {
  readonly #scores: CheckpointScore[] = [];
  #waiting: CheckpointEvent | null = null;
  #running: Promise<void> | null = null;
  #failure: unknown;

  constructor(private readonly options: CheckpointOptions) {}

  get best(): CheckpointScore | null {
    return this.#scores.reduce<CheckpointScore | null>((best, score) => (best && !isBetter(score, best) ? best : score), null);
  }

  /** Takes a checkpoint to be scored. Of a trainer whose checkpoints hold no adapter it is only stored. */
  add(event: CheckpointEvent): void {
    this.#waiting = event;
    this.#running ??= this.#run();
  }

  /** Resolves when all that was added is scored and stored. @throws what scoring threw */
  async settled(): Promise<void> {
    while (this.#running) await this.#running;
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #run(): Promise<void> {
    try {
      for (let event = this.#waiting; event; event = this.#waiting) {
        this.#waiting = null;
        await this.#score(event);
      }
    } catch (error) {
      this.#failure ??= error;
    } finally {
      this.#running = null;
    }
  }

  async #score({ step, path, adapter }: CheckpointEvent): Promise<void> {
    const { folder, sink, base } = this.options;
    const from = join(folder, path);
    const score = adapter === undefined ? null : await this.#measure(step, join(folder, adapter));
    if (score) this.#scores.push(score);
    const state = await packState(from, adapter === undefined ? null : join(folder, adapter));
    const files = { adapter: score?.adapter ?? '', state, bytes: (score ? await sizeOf(score.adapter) : 0) + (await sizeOf(state)) };
    const figures = { heldLoss: base.isHeldOut ? (score?.loss ?? null) : null, degenerate: score?.degenerate ?? null };
    if (score) await this.#store({ step, ...files, ...figures });
    if (score) sink.point({ step, epoch: null, loss: null, heldLoss: figures.heldLoss, accuracy: null, rate: null, tokensPerSecond: null });
    await rm(state, { force: true });
    await this.#removeOthers(from);
  }

  async #store(checkpoint: ScoredCheckpoint): Promise<void> {
    const { sink } = this.options;
    const { step, degenerate, heldLoss } = checkpoint;
    try {
      await sink.checkpoint(checkpoint);
      sink.event({ level: 'info', code: 'checkpoint', message: `Checkpoint at step ${step}.`, data: { step, degenerate, held_loss: heldLoss } });
    } catch {
      const message = `The checkpoint at step ${step} could not be stored. The training goes on without it.`;
      sink.event({ level: 'warn', code: 'checkpoint_unstored', message, data: { step } });
    }
  }

  async #measure(step: number, adapter: string): Promise<CheckpointScore> {
    const { scorer, context, base, signal, sink } = this.options;
    return withScorer(scorer, adapter, context, async (scoring) => {
      const loss = (await meanLoss(scoring, base.scored, signal)) ?? 0;
      const answers = await answersTo(scoring, base.asked, signal);
      sink.samples(samplesOf(step, base.shown, answers));
      return { step, adapter, loss, degenerate: answers.filter(({ degenerate }) => degenerate).length };
    });
  }

  async #removeOthers(newest: string): Promise<void> {
    const best = this.#scores.toSorted((a, b) => (isBetter(a, b) ? -1 : 1)).slice(0, BEST_KEPT);
    const parent = join(newest, '..');
    for (const name of await readdir(parent)) {
      const folder = join(parent, name);
      const isKept = folder === newest || best.some(({ adapter }) => adapter.startsWith(`${folder}/`));
      // Others may have been written meanwhile, and wait to be scored.
      const isScored = this.#scores.some(({ adapter }) => adapter.startsWith(`${folder}/`));
      if (!isKept && isScored) await rm(folder, { recursive: true, force: true });
    }
  }
}

/** Answers of the prompts that are shown. */
export const samplesOf = (step: number, shown: readonly PreparedExample[], answers: readonly JudgedAnswer[]): JobSample[] =>
  shown.map(({ asked, expected }, i) => ({
    step,
    prompt_no: i,
    prompt: asked.slice(0, TEXT_MAX),
    answer: (answers[i]?.text ?? '').slice(0, TEXT_MAX),
    expected: expected.slice(0, TEXT_MAX),
  }));

/** All files of a checkpoint but its adapter, in one. */
async function packState(folder: string, adapter: string | null): Promise<string> {
  const files = (await readdir(folder)).map((name) => join(folder, name)).filter((file) => file !== adapter && existsSync(file));
  const path = join(folder, '..', `state-${basename(folder)}.tar`);
  await packTar(path, files);
  return path;
}
