import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sampleDataset } from '@slipway/datasets';
import type { Logger } from '@slipway/platform';
import { ggufOf } from '../results/adapter-forms.js';
import { LlamaScorer } from '../scoring.js';
import { lossOf } from '../training/example-scores.js';
import { type PreparedDataset, prepareDataset } from '../training/prepare-dataset.js';
import { withScorer, scoringContext, hardestOf } from '../training/base-scores.js';
import { checkpointSteps, settingsOf } from '../training/train-adapter.js';
import type { RunSettings, Trainer } from '../trainers/trainer.js';
import { checksOfWhole, type ContractCheck } from './contract-checks.js';
import { inWords, runTrial, type Trial, type TrialOptions } from './trial-run.js';

export interface TrainerTestOptions {
  readonly trainer: Trainer;
  /** Path of a GGUF that it trains. */
  readonly base: string;
  /** An empty folder. */
  readonly folder: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Part of the sample that is held out, so that a trainer has something to measure. */
const HELD_OUT = 0.2;
const SEED = 1;
/** A command that takes longer ends with a kill of the worker. */
const CANCEL_MS = 10_000;

const PAUSE_AT_STEP: Pick<TrialOptions, 'during'> = { during: ({ ev }, process) => void (ev === 'step' && process.pause()) };
const CANCEL_AT_STEP: Pick<TrialOptions, 'during'> = { during: ({ ev }, process) => void (ev === 'step' && process.cancel()) };

const check = (name: string, passed: boolean, detail: string): ContractCheck => ({ check: name, passed, detail });

/**
 * Tries a trainer on a base with the 30 conversations of the sample: a whole run, a pause with its resumption, and a cancel. Yields each
 * check as it is made.
 */
export async function* testTrainer(options: TrainerTestOptions): AsyncGenerator<ContractCheck> {
  const { trainer, base, log, signal } = options;
  const { usable, detail, pause } = await trainer.probe();
  yield check('usable', usable, usable ? `${trainer.name} can be started.` : (detail ?? 'It cannot be used.'));
  if (!usable) return;
  const scorer = await LlamaScorer.open({ path: base, threads: 1, log, signal });
  try {
    const knows = (await trainer.probe()).architectures.includes(scorer.texts.architecture);
    yield check('architecture', knows, `The base is of the architecture ${scorer.texts.architecture}.`);
    if (!knows) return;
    yield* new TrainerTest(options, scorer).checks(pause);
  } finally {
    await scorer.dispose();
  }
}

class TrainerTest {
  #runs = 0;

  constructor(
    private readonly options: TrainerTestOptions,
    private readonly scorer: LlamaScorer,
  ) {}

  async *checks(pauses: boolean): AsyncGenerator<ContractCheck> {
    const data = join(this.options.folder, 'data');
    const prepared = await this.#prepare(data);
    const settings = this.#settings(prepared);
    const ours = await this.#firstLoss(prepared);
    const whole = await this.#trial(data, settings);
    yield* checksOfWhole(whole, { settings, examples: prepared.examples, ours });
    if (whole.end?.kind !== 'saved') return;
    yield await this.#adapter(whole.end.path);
    if (pauses) yield* this.#pause(data, { ...settings, epochs: 3 });
    yield await this.#cancel(data, { ...settings, epochs: 3 });
  }

  async #prepare(data: string): Promise<PreparedDataset> {
    await mkdir(data, { recursive: true });
    const dataset = join(this.options.folder, 'sample.jsonl');
    await writeFile(dataset, sampleDataset());
    const { texts, trainedContext: context } = this.scorer;
    const settings = { seed: SEED, heldOut: HELD_OUT, learned: [], tooLong: 'leave_out' as const };
    const { takesWeights, input = 'text' } = this.options.trainer;
    const { signal } = this.options;
    const chooseFirst: Parameters<typeof prepareDataset>[0]['chooseFirst'] = (candidates) =>
      withScorer(this.scorer, null, scoringContext(0, candidates), (scoring) => hardestOf(scoring, candidates, signal));
    return prepareDataset({ dataset, folder: data, texts, context, settings, takesWeights, input, chooseFirst, signal });
  }

  #settings(prepared: PreparedDataset): RunSettings {
    const { base } = this.options;
    const same = { schedule: 'cosine' as const, batch: 1, method: 'sft' as const, beta: 0.1 };
    const settings = { rank: 8, alpha: 16, rate: 1e-4, epochs: 1, seed: SEED, ...same };
    return { ...settingsOf({ base, prepared, settings }), checkpointSteps: checkpointSteps(prepared.examples, 4) };
  }

  async #firstLoss({ first }: PreparedDataset): Promise<number> {
    const [start] = first;
    if (!start) return 0;
    return withScorer(
      this.scorer,
      null,
      scoringContext(0, [start]),
      async (scoring) => (await lossOf(scoring, start.asOneText ?? start)).mean,
    );
  }

  #trial(data: string, settings: RunSettings, more: Pick<TrialOptions, 'during' | 'from'> = {}): Promise<Trial> {
    const folder = join(this.options.folder, `run-${(this.#runs += 1)}`);
    return runTrial({ trainer: this.options.trainer, data, folder, settings, ...more });
  }

  async #adapter(path: string): Promise<ContractCheck> {
    try {
      const gguf = await ggufOf(path, join(this.options.folder, 'adapter.gguf'), this.scorer.texts.architecture);
      await this.scorer.assertFits(gguf);
      return check('adapter', true, `What it saved is a LoRA of this base, ${(await stat(gguf)).size} bytes.`);
    } catch (error) {
      return check('adapter', false, `The worker cannot use what it saved: ${error instanceof Error ? error.message : 'unreadable'}`);
    }
  }

  async *#pause(data: string, settings: RunSettings): AsyncGenerator<ContractCheck> {
    const trial = await this.#trial(data, settings, PAUSE_AT_STEP);
    const last = trial.events.findLast((event) => event.ev === 'checkpoint');
    const paused = trial.end?.kind === 'paused' && last !== undefined;
    const how = last
      ? `It ended ${inWords(trial.end)} with a checkpoint at step ${last.step}.`
      : `It ended ${inWords(trial.end)} without a checkpoint.`;
    yield check('pause', paused, how);
    if (!paused) return;
    const resume = { step: last.step, path: 'resume' };
    const from = join(trial.folder, last.path);
    const again = await this.#trial(data, { ...settings, resume }, { from });
    const first = again.events.find((event) => event.ev === 'step');
    const went = again.end?.kind === 'saved' && first !== undefined && first.step > 0 && first.step <= last.step + 1;
    const at = first ? `It went on at step ${first.step}` : 'It reported no step';
    yield check('resume', went, `${at} and ended ${inWords(again.end)}; step ${last.step + 1} is the next one.`);
  }

  async #cancel(data: string, settings: RunSettings): Promise<ContractCheck> {
    const trial = await this.#trial(data, settings, CANCEL_AT_STEP);
    const ended = trial.end?.kind === 'cancelled' && trial.obeyedMs < CANCEL_MS;
    return check(
      'cancel',
      ended,
      `It ended ${(trial.obeyedMs / 1_000).toFixed(1)} s after \`cancel\`; it is killed after ${CANCEL_MS / 1_000}.`,
    );
  }
}
