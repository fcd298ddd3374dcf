import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobSample } from '@slipway/contracts';
import { LlamaScorer } from '@slipway/engine-llama';
import { createLogger } from '@slipway/platform';
import { runTraining } from '../../apps/training-worker/src/training/run-training.js';
import type {
  AdapterResult,
  CurvePoint,
  JobSettings,
  ResumePoint,
  TrainingEvent,
  TrainingJob,
  TrainingOutcome,
  TrainingSink,
} from '../../apps/training-worker/src/training/training-job.js';
import type { Trainer } from '../../apps/training-worker/src/trainers/trainer.js';
import { DEMO_MODEL } from '../engines/demo-engine.js';
import { keepData, sampleData } from './sample.js';

export const LOG = createLogger('training-test', 'silent');

const SETTINGS: JobSettings = {
  rank: 8,
  alpha: 16,
  rate: 1e-4,
  schedule: 'cosine',
  epochs: 8,
  batch: 1,
  method: 'sft',
  beta: 0.1,
  seed: 42,
  heldOut: 0,
  learned: [],
  tooLong: 'leave_out',
  earlyStop: false,
  timeLimitS: 600,
};

/** All that a job reported. Keeps stored checkpoints, as the blob store does. */
export class Recorder implements TrainingSink {
  readonly states: string[] = [];
  readonly points: CurvePoint[] = [];
  readonly events: TrainingEvent[] = [];
  readonly shown: JobSample[] = [];
  readonly lines: string[] = [];
  readonly stored: ResumePoint[] = [];
  steps = 0;
  /** Called with each step. */
  onStep: (step: number) => void = () => undefined;

  constructor(private readonly folder: string) {}

  state(state: string): void {
    if (this.states.at(-1) !== state) this.states.push(state);
  }

  plan({ steps }: { steps: number }): void {
    this.steps = steps;
  }

  point(point: CurvePoint): void {
    this.points.push(point);
    if (point.loss !== null) this.onStep(point.step);
  }

  event(event: TrainingEvent): void {
    this.events.push(event);
  }

  samples(samples: readonly JobSample[]): void {
    this.shown.push(...samples);
  }

  log(line: string): void {
    this.lines.push(line);
  }

  async checkpoint({ step, adapter, state }: { step: number; adapter: string; state: string }): Promise<void> {
    const kept = { step, adapter: join(this.folder, `${step}.gguf`), state: join(this.folder, `${step}.tar`) };
    await copyFile(adapter, kept.adapter);
    await copyFile(state, kept.state);
    this.stored.push(kept);
  }

  codes(): string[] {
    return this.events.map(({ code }) => code);
  }

  data(code: string): Record<string, unknown> {
    return this.events.find((event) => event.code === code)?.data ?? {};
  }
}

/** A folder of jobs on the demo model, with the sample as their data. */
export class TrainingStage {
  readonly folder = mkdtempSync(join(tmpdir(), 'slipway-training-'));
  readonly dataset = join(this.folder, 'data.jsonl');
  readonly keepSet = join(this.folder, 'keep.jsonl');
  readonly wholeKeepSet = join(this.folder, 'whole-keep.jsonl');
  #count = 0;

  private constructor(
    private readonly sha256: string,
    private readonly templateSha256: string,
  ) {
    writeFileSync(this.dataset, sampleData());
    writeFileSync(this.keepSet, keepData(20));
    writeFileSync(this.wholeKeepSet, keepData(Infinity));
  }

  static async open(): Promise<TrainingStage> {
    const scorer = await openDemo();
    const { templateSha256 } = scorer.texts.hashes;
    await scorer.dispose();
    return new TrainingStage(createHash('sha256').update(readFileSync(DEMO_MODEL)).digest('hex'), templateSha256);
  }

  job(trainer: Trainer, more: Omit<Partial<TrainingJob>, 'settings'> & { settings?: Partial<JobSettings> } = {}): TrainingJob {
    const base = { path: DEMO_MODEL, sha256: this.sha256, templateSha256: this.templateSha256 };
    const folder = join(this.folder, `job-${(this.#count += 1)}`);
    const files = { folder, base, hashFolder: this.folder, dataset: this.dataset, keepSet: null, resume: null };
    return { trainer, gate: { keep_points: 7 }, threads: 1, ...files, ...more, settings: { ...SETTINGS, ...more.settings } };
  }

  /** Runs a job; `during` gets its record, and what stops it. */
  async run(
    job: TrainingJob,
    during: (record: Recorder, stop: AbortController) => void = () => undefined,
  ): Promise<{ outcome: TrainingOutcome; record: Recorder }> {
    const record = new Recorder(mkdtempSync(join(this.folder, 'stored-')));
    const stop = new AbortController();
    during(record, stop);
    return { outcome: await runTraining(job, { sink: record, signal: stop.signal, log: LOG }), record };
  }

  close(): void {
    rmSync(this.folder, { recursive: true });
  }
}

/** The adapter of a job that succeeded. @throws Error that says what became of it instead */
export function adapterOf(outcome: TrainingOutcome): AdapterResult {
  if (outcome.state === 'succeeded') return outcome.adapter;
  const fault = outcome.state === 'failed' ? outcome.fault : undefined;
  throw new Error(`The job is ${outcome.state}: ${fault?.code} ${fault?.message}`, { cause: fault?.cause });
}

export const openDemo = (): Promise<LlamaScorer> =>
  LlamaScorer.open({ path: DEMO_MODEL, threads: 1, log: LOG, signal: new AbortController().signal });

/** Greedy answers of the demo model with an adapter, or without. */
export async function answersWith(adapter: string | null, questions: readonly string[]): Promise<string[]> {
  const scorer = await openDemo();
  const scoring = await scorer.scoring(adapter, 256);
  const { template, tokenizer } = scorer.texts;
  const answers: string[] = [];
  for (const content of questions) {
    const prompt = tokenizer.tokenize(template.render({ messages: [{ role: 'user', content }] }), true);
    answers.push((await scoring.answer(prompt, 60)).text);
  }
  await scoring.dispose();
  await scorer.dispose();
  return answers;
}
