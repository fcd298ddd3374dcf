import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { copyFile, mkdir, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TrainerBase, TrainerHeartbeat, TrainingItem } from '@slipway/contracts';
import { type RunningService, startService } from '@slipway/platform/service';
import { TestNatsServer } from '@slipway/testing';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { z } from 'zod';
import { trainingWorker } from '../../apps/training-worker/src/training-worker.js';
import { DEMO_MODEL } from '../engines/demo-engine.js';
import { until } from '../testing/until.js';
import { writeAdapter } from './an-adapter.js';
import { sampleData } from './sample.js';
import { scriptedManifest, servedLoss } from './scripted.js';
import { TrainingStage } from './training-stage.js';
import { TuningDouble } from './tuning-double.js';

const ENV = 'training';
/** Only bounds a failure: a busy machine takes its time. */
export const LONG_MS = 180_000;
/** Examples of the data set: enough for a verdict; each is asked before and after. */
export const COUNT = 12;
export const EXAMPLES = sampleData().split('\n').slice(0, COUNT).join('\n');

type Item = z.input<typeof TrainingItem>;
export type JobItem = Extract<Item, { kind: 'job' }>;

/** The command line of a process; empty once it has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** A training worker in this process, with a scripted trainer and all that tuning-service is to it. */
export class AgentStage {
  readonly folder = mkdtempSync(join(tmpdir(), 'slipway-trainer-agent-'));
  tuning!: TuningDouble;
  base!: TrainerBase;
  tw = '';
  /** Of the newest job: each test has its own. */
  job = 40;
  /** Of the newest assignment: workers ignore older ones. */
  term = 0;
  #server!: TestNatsServer;
  #worker: RunningService | undefined;
  /** What the trainer must report at its first step. */
  #firstLoss = '';

  private constructor(private readonly more: Readonly<Record<string, string>>) {}

  /** Starts it before the tests of the calling file, and frees its slot after each. @param more settings of the worker */
  static around(more: Readonly<Record<string, string>> = {}): AgentStage {
    const stage = new AgentStage(more);
    beforeAll(() => stage.#start());
    afterAll(() => stage.#end());
    beforeEach(() => {
      stage.job += 1;
    });
    afterEach(() => stage.#free());
    return stage;
  }

  /** @param training folder of jobs, of which each worker has one */
  async environment(training: string): Promise<Record<string, string>> {
    const script = ['--adapter', join(this.folder, 'random.gguf'), '--first-loss', this.#firstLoss, '--step-ms', '40'];
    return {
      SLIPWAY_ENV: ENV,
      NATS_URL: this.#server.url,
      MODEL_DIRS: join(this.folder, 'models'),
      TRAINING_DIR: join(this.folder, training),
      TRAINERS_DIR: join(this.folder, 'trainers'),
      TRAINERS: await scriptedManifest(this.folder, script),
      LOG_LEVEL: 'error',
      ...this.more,
    };
  }

  /** The first report of a worker, other than those named, that has read its bases. */
  firstBeat(...known: string[]): Promise<TrainerHeartbeat> {
    const isNew = ({ bases, tw }: TrainerHeartbeat): boolean => bases.length > 0 && !known.includes(tw);
    return until('the base is found', () => this.tuning.beats.find(isNew), LONG_MS);
  }

  get lastBeat(): TrainerHeartbeat | undefined {
    return this.tuning.beats.findLast(({ tw }) => tw === this.tw);
  }

  assign(...items: Item[]): void {
    this.tuning.assign(this.tw, (this.term += 1), items);
  }

  jobItem(more: Partial<JobItem> = {}, epochs = 1): JobItem {
    const hashes = { base_sha256: this.base.sha256, template_sha256: this.base.template_sha256 };
    const settings = { rank: 8, alpha: 16, learning_rate: 1e-4, epochs, schedule: 'cosine' as const, seed: 42, held_out: 0 };
    const limits = { too_long: 'leave_out' as const, early_stop: false, time_limit_s: 600 };
    return {
      kind: 'job',
      ...{
        job: this.job,
        account: 1,
        attempt: 1,
        slot: 'cpu',
        desired: 'run',
        keep: false,
        dataset: 12,
        version: 3,
        resume: null,
        gate: {},
      },
      spec: { trainer: 'scripted', base: this.base.base, method: 'sft', ...hashes, ...settings, ...limits },
      ...more,
    };
  }

  /** Runs until it is stopped. */
  longJob(): JobItem {
    return this.jobItem({}, 150);
  }

  /** Waits for the last state of a job. */
  end(): Promise<string> {
    const isLast = (state: string): boolean => ['succeeded', 'paused', 'cancelled', 'failed'].includes(state);
    return until('the job ends', () => this.tuning.states.find(isLast), LONG_MS);
  }

  async #start(): Promise<void> {
    this.#server = await TestNatsServer.start();
    const training = await TrainingStage.open();
    this.#firstLoss = await servedLoss(training);
    training.close();
    await this.#fill();
    this.tuning = await TuningDouble.start(this.#server.url, ENV);
    this.tuning.put('version:12/3', Buffer.from(EXAMPLES));
    this.#worker = await startService(trainingWorker, await this.environment('training'));
    const beat = await this.firstBeat();
    [this.base] = beat.bases as [TrainerBase];
    this.tw = beat.tw;
  }

  /** A base, an adapter, and what two jobs left: one long ago. */
  async #fill(): Promise<void> {
    await mkdir(join(this.folder, 'models'));
    await copyFile(DEMO_MODEL, join(this.folder, 'models/Tiny.gguf'));
    await writeFile(join(this.folder, 'models/notes.gguf'), 'no model');
    await writeAdapter(join(this.folder, 'random.gguf'), 0.3);
    for (const left of ['7', '8']) await mkdir(join(this.folder, 'training/jobs', left, '1/run'), { recursive: true });
    const old = new Date(Date.now() - 3 * 86_400_000);
    await utimes(join(this.folder, 'training/jobs/7'), old, old);
  }

  async #free(): Promise<void> {
    this.assign();
    const isFree = (): boolean => this.lastBeat?.assigned?.term === this.term && this.lastBeat.slots[0]?.running === null;
    await until('the slot is free', isFree, LONG_MS);
    this.tuning.reset();
  }

  async #end(): Promise<void> {
    await this.#worker?.stop();
    await this.tuning?.stop();
    await this.#server?.end();
    rmSync(this.folder, { recursive: true });
  }
}

/** Processes whose command holds this text. */
export const processesOf = (text: string): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && commandOf(pid).includes(text));
