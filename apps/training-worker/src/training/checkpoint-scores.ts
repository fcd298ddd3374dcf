import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobSample } from '@slipway/contracts';
import { ggufOf } from '../results/adapter-forms.js';
import { sizeOf } from '../results/tar.js';
import type { AdapterScorer, LlamaScorer } from '../scoring.js';
import { isDiskFull } from '../training-fault.js';
import { type BaseScores, withScorer } from './base-scores.js';
import { packState } from './checkpoint-files.js';
import { answersTo, type JudgedAnswer } from './example-scores.js';
import type { PreparedExample } from './prepared-example.js';
import type { ScoredCheckpoint, TrainingSink } from './training-job.js';

/** Kept beside the newest one. */
const BEST_KEPT = 3;
const TEXT_MAX = 2_000;

const NO_FIGURES = { epoch: null, loss: null, accuracy: null, margin: null, rate: null, tokensPerSecond: null };

/** An adapter in training. Paths are absolute. */
export interface Checkpoint {
  readonly step: number;
  /** Folder to continue from; null = an adapter alone. */
  readonly folder: string | null;
  /** GGUF, or a folder in the form of PEFT; null = its trainer's checkpoints hold none. */
  readonly adapter: string | null;
}

/** How good a checkpoint is. */
export interface CheckpointScore {
  readonly step: number;
  /** Absolute path of a GGUF. */
  readonly adapter: string;
  readonly loss: number;
  readonly degenerate: number;
  /** Answers that are right, of those that are asked; of preferences, pairs whose chosen answer is the likelier one. */
  readonly right: number;
  /** Distance of its answers from what the base thinks of them. */
  readonly effect: number;
}

export interface CheckpointOptions {
  readonly scorer: LlamaScorer;
  /** Scores without an adapter. */
  readonly plain: AdapterScorer;
  readonly context: number;
  readonly base: BaseScores;
  /** Folder for what is packed, out of the trainer's reach. */
  readonly packed: string;
  /** Folder for adapters that came in the form of PEFT, out of its reach, too. */
  readonly converted: string;
  readonly sink: TrainingSink;
  readonly signal: AbortSignal;
}

/** Below, a checkpoint answers as the base does. */
const LEAST_EFFECT = 0.05;

/**
 * One with an effect first, then fewer degenerate answers, then more right ones, then the lower loss; of equal ones the later. Loss
 * alone does not tell: answers can be wrong, or loop, at any of them. Nor does the lack of answers that loop: the first checkpoints
 * of a run answer as the base does.
 */
export function isBetter(a: CheckpointScore, b: CheckpointScore): boolean {
  const [hasEffect, hadEffect] = [a.effect >= LEAST_EFFECT, b.effect >= LEAST_EFFECT];
  if (hasEffect !== hadEffect) return hasEffect;
  if (a.degenerate !== b.degenerate) return a.degenerate < b.degenerate;
  if (a.right !== b.right) return a.right > b.right;
  return a.loss === b.loss ? a.step > b.step : a.loss < b.loss;
}

/**
 * Scores checkpoints while training goes on, one at a time. When one takes longer than the way to the next, only the newest is
 * scored. The best three and the newest stay on disk.
 */
export class CheckpointScores {
  readonly #scores: CheckpointScore[] = [];
  /** Folders of scored checkpoints by their steps. */
  readonly #folders = new Map<number, string>();
  #waiting: Checkpoint | null = null;
  #running: Promise<void> | null = null;
  #current: number | null = null;
  #failure: Error | undefined;

  constructor(private readonly options: CheckpointOptions) {}

  get best(): CheckpointScore | null {
    return this.#scores.reduce<CheckpointScore | null>((best, score) => (best && !isBetter(score, best) ? best : score), null);
  }

  /** Whether a checkpoint of this step was added, and not passed over. */
  has(step: number): boolean {
    return this.#waiting?.step === step || this.#current === step || this.#scores.some((score) => score.step === step);
  }

  /** Takes a checkpoint to be scored and stored. */
  add(checkpoint: Checkpoint): void {
    this.#waiting = checkpoint;
    this.#running ??= this.#run();
  }

  /** Resolves when all that was added is scored and stored. @throws what scoring threw */
  async settled(): Promise<void> {
    while (this.#running) await this.#running;
    if (this.#failure) throw this.#failure;
  }

  async #run(): Promise<void> {
    try {
      for (let next = this.#waiting; next; next = this.#waiting) {
        this.#waiting = null;
        this.#current = next.step;
        await this.#take(next);
      }
    } catch (error) {
      this.#failure ??= error instanceof Error ? error : new Error('A checkpoint could not be scored.', { cause: error });
    } finally {
      this.#running = null;
    }
  }

  async #take({ step, folder, adapter }: Checkpoint): Promise<void> {
    const { sink, base, scorer, converted } = this.options;
    if (adapter === null) return;
    const gguf = await ggufOf(adapter, join(converted, `${step}.gguf`), scorer.texts.architecture);
    const score = await this.#measure(step, gguf);
    this.#scores.push(score);
    if (folder !== null) this.#folders.set(step, folder);
    const heldLoss = base.isHeldOut ? score.loss : null;
    if (heldLoss !== null) sink.point({ ...NO_FIGURES, step, heldLoss });
    if (folder === null) return;
    await this.#store({ folder, step, adapter: gguf, heldLoss, degenerate: score.degenerate });
    await this.#removeOthers(folder);
  }

  /** Packs and stores a checkpoint. Without room for it the training goes on. */
  async #store({ folder, ...checkpoint }: Omit<ScoredCheckpoint, 'state' | 'bytes'> & { readonly folder: string }): Promise<void> {
    const { sink, packed } = this.options;
    const { step, adapter, degenerate, heldLoss } = checkpoint;
    try {
      const state = await packState({ folder, step, adapter }, packed);
      const bytes = (await sizeOf(adapter)) + (await sizeOf(state));
      await sink.checkpoint({ ...checkpoint, state, bytes });
      const data = { step, degenerate, held_loss: heldLoss };
      sink.event({ level: 'info', code: 'checkpoint', message: `Checkpoint at step ${step}.`, data });
    } catch (error) {
      const why = isDiskFull(error) ? ': the disk of the worker is full' : '';
      const message = `The checkpoint at step ${step} could not be stored${why}. The training goes on without it.`;
      sink.event({ level: 'warn', code: 'checkpoint_unstored', message, data: { step } });
    } finally {
      await rm(packed, { recursive: true, force: true });
    }
  }

  async #measure(step: number, adapter: string): Promise<CheckpointScore> {
    const { scorer, plain, context, base, signal, sink } = this.options;
    return withScorer(scorer, adapter, context, async (scoring) => {
      const { loss, preferred } = await base.objective.measure(scoring, base.scored, signal);
      const answers = await answersTo(scoring, base.asked, signal);
      sink.samples(samplesOf(step, base.shown, answers));
      const effect = await effectOf(base.asked, answers, { scoring, plain });
      const count = (is: 'degenerate' | 'right'): number => answers.filter((answer) => answer[is]).length;
      return { step, adapter, loss: loss ?? 0, effect, degenerate: count('degenerate'), right: preferred ?? count('right') };
    });
  }

  async #removeOthers(newest: string): Promise<void> {
    const best = this.#scores.toSorted((a, b) => (isBetter(a, b) ? -1 : 1)).slice(0, BEST_KEPT);
    const parent = join(newest, '..');
    for (const name of await readdir(parent)) {
      const folder = join(parent, name);
      const isKept = folder === newest || best.some(({ step }) => this.#folders.get(step) === folder);
      // Others may have been written meanwhile, and wait to be scored.
      const scored = this.#scores.find(({ step }) => this.#folders.get(step) === folder);
      if (isKept || !scored) continue;
      await rm(folder, { recursive: true, force: true });
      await rm(scored.adapter, { force: true });
    }
  }
}

/** Mean distance of the log probabilities that adapter and base give the adapter's answers. */
async function effectOf(
  asked: readonly PreparedExample[],
  answers: readonly JudgedAnswer[],
  { scoring, plain }: { readonly scoring: AdapterScorer; readonly plain: AdapterScorer },
): Promise<number> {
  let sum = 0;
  let count = 0;
  for (const [i, { tokens: all, promptTokens }] of asked.entries()) {
    const { tokens = [], end = null } = answers[i] ?? {};
    const answer = end === null ? [...tokens] : [...tokens, end];
    if (answer.length === 0) continue;
    const text = [...all.slice(0, promptTokens), ...answer];
    const [after, before] = [await scoring.logprobs(text, promptTokens), await plain.logprobs(text, promptTokens)];
    for (const [at, logprob] of after.entries()) sum += Math.abs(logprob - (before[at] ?? 0));
    count += answer.length;
  }
  return count === 0 ? 0 : sum / count;
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
