import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type AccountId, AddSample, type JobId, type JobView, ListAdapters, ReadJobEvents, ReadMetrics } from '@slipway/contracts';
import type { TestPostgres } from '@slipway/testing';
import { DEMO_MODEL } from '../engines/demo-engine.js';
import { ServiceProcess } from '../services/service-process.js';
import { isAlive } from '../testing/is-alive.js';
import { until } from '../testing/until.js';
import { writeAdapter } from '../training/an-adapter.js';
import { scriptedManifest, servedLoss } from '../training/scripted.js';
import { TrainingStage } from '../training/training-stage.js';
import { checked } from './bytes.js';
import { JobsStage } from './jobs-stage.js';
import type { BreakableTcp } from '../deployments/breakable-tcp.js';
import { anAccount, TuningRig } from './rig.js';

/** Only bounds a failure: jobs of a busy machine take their time. */
const JOB_WITHIN_MS = 240_000;

/** A training worker as a process, with all that it starts. */
export interface FleetWorker {
  readonly process: ServiceProcess;
  /** Of its jobs. */
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** tuning-service and training workers as processes, with a trainer that learns as its arguments say. */
export class TrainingFleet {
  readonly stage: JobsStage;
  service!: ServiceProcess;
  readonly #workers: FleetWorker[] = [];

  private constructor(
    readonly rig: TuningRig,
    /** The way from the service to its database. */
    readonly database: BreakableTcp,
    private readonly script: readonly string[],
    private readonly settings: Readonly<Record<string, string>>,
  ) {
    this.stage = new JobsStage(rig);
  }

  /** @param settings of tuning-service */
  static async open(postgres: TestPostgres, settings: Readonly<Record<string, string>> = {}): Promise<TrainingFleet> {
    const rig = await TuningRig.open(postgres);
    try {
      const adapter = join(rig.folder, 'random.gguf');
      await writeAdapter(adapter, 0.3);
      const trained = await TrainingStage.open();
      const loss = await servedLoss(trained, { seed: 1 });
      trained.close();
      await mkdir(join(rig.folder, 'models'));
      await copyFile(DEMO_MODEL, join(rig.folder, 'models/Tiny.gguf'));
      const fleet = new TrainingFleet(rig, await rig.breakableDatabase(), ['--adapter', adapter, '--first-loss', loss], settings);
      fleet.service = await rig.startProcess(settings);
      return fleet;
    } catch (error) {
      await rig.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    for (const { process: worker } of this.#workers) this.thaw({ process: worker, folder: '', settings: {} });
    await Promise.all(this.#workers.map(({ process: worker }) => worker.end()));
    this.stage.end();
    await this.rig.close();
  }

  /** Kills tuning-service and starts another one. */
  async restartService(): Promise<void> {
    await this.service.stop('SIGKILL');
    this.service = await this.rig.startProcess(this.settings);
  }

  /** @param script how its trainer differs from those of other workers */
  async startWorker(script: readonly string[] = [], settings: Readonly<Record<string, string>> = {}): Promise<FleetWorker> {
    const { folder } = this.rig;
    const own = join(folder, `worker-${this.#workers.length + 1}`);
    await mkdir(own);
    return this.#start({
      ...{ MODEL_DIRS: join(folder, 'models'), TRAINING_DIR: join(own, 'training'), TRAINERS_DIR: join(own, 'trainers') },
      ...{ TRAINERS: await scriptedManifest(own, [...this.script, ...script]), LOG_LEVEL: 'info' },
      ...settings,
    });
  }

  /** Starts another worker in the folder of one that ended. */
  restartWorker({ settings }: FleetWorker): Promise<FleetWorker> {
    return this.#start(settings);
  }

  async #start(settings: Readonly<Record<string, string>>): Promise<FleetWorker> {
    const worker = new ServiceProcess('training-worker', this.rig.bus, settings);
    const started = { process: worker, folder: settings['TRAINING_DIR'] ?? '', settings };
    this.#workers.push(started);
    await worker.ready();
    return started;
  }

  /** A job on the sample: 30 steps an epoch. */
  async job(settings: object = {}, more: object = {}): Promise<{ account: AccountId; job: JobId }> {
    const account = anAccount();
    const dataset = await this.rig.createDataset(account, 'sample');
    const { version } = await this.rig.ask(AddSample, { account, dataset });
    await checked(this.rig, account, dataset, version);
    const given = { trainer: 'scripted', settings: { epochs: 8, ...settings }, ...more };
    return { account, job: await this.stage.job({ account, dataset }, given) };
  }

  /** Waits until a job is as the test wants it. */
  seen(account: AccountId, job: JobId, what: string, isSeen: (view: JobView) => boolean): Promise<JobView> {
    return until(
      `job ${job} ${what}`,
      async () => {
        const view = await this.stage.view(account, job);
        if (isSeen(view)) return view;
        const isOver = ['succeeded', 'failed', 'cancelled'].includes(view.state);
        if (isOver) throw new Error(`Job ${job} is ${view.state} (${view.reason}: ${view.detail}), and not: ${what}.`);
        return null;
      },
      JOB_WITHIN_MS,
      50,
    );
  }

  isIn(account: AccountId, job: JobId, ...states: string[]): Promise<JobView> {
    return this.seen(account, job, `is ${states.join(' or ')}`, ({ state }) => states.includes(state));
  }

  /** The worker that has a job, and that has begun with it. */
  workerOf(job: JobId): Promise<FleetWorker> {
    return until(`a worker has job ${job}`, () => this.#workers.find(({ folder }) => existsSync(join(folder, 'jobs', String(job)))));
  }

  /** Steps of the curve that have a loss. */
  async steps(account: AccountId, job: JobId): Promise<number[]> {
    const { points } = await this.rig.ask(ReadMetrics, { account, job });
    return points.filter(({ loss }) => loss !== null).map(({ step }) => step);
  }

  async events(account: AccountId, job: JobId): Promise<string[]> {
    return (await this.rig.ask(ReadJobEvents, { account, job })).events.map(({ code }) => code);
  }

  async adapters(account: AccountId): Promise<number[]> {
    return (await this.rig.ask(ListAdapters, { account })).adapters.map(({ id }) => id);
  }

  /** Stops a worker with all that it started, as a machine that stands still. */
  freeze({ process: worker }: FleetWorker): void {
    for (const pid of familyOf(worker.pid)) signal(pid, 'SIGSTOP');
  }

  /** Stops a worker alone: what it started goes on. */
  freezeAgent({ process: worker }: FleetWorker): void {
    signal(worker.pid, 'SIGSTOP');
  }

  thaw({ process: worker }: FleetWorker): void {
    for (const pid of familyOf(worker.pid)) signal(pid, 'SIGCONT');
  }

  /** Processes that a worker started and that live. */
  childrenOf({ process: worker }: FleetWorker): number[] {
    return familyOf(worker.pid).filter((pid) => pid !== worker.pid && isAlive(pid));
  }
}

/** All steps of a training, each once. */
export const allSteps = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

/** A process and those that it and they started, it first. */
function familyOf(pid: number): number[] {
  const parents = readdirSync('/proc').flatMap((name): [number, number][] => {
    const [, parent] = /^PPid:\s+(\d+)$/m.exec(statusOf(name)) ?? [];
    return parent === undefined ? [] : [[Number(name), Number(parent)]];
  });
  const found = [pid];
  for (const one of found) found.push(...parents.flatMap(([child, parent]) => (parent === one ? child : [])));
  return found;
}

function statusOf(name: string): string {
  try {
    return /^\d+$/.test(name) ? readFileSync(`/proc/${name}/status`, 'utf8') : '';
  } catch {
    return '';
  }
}
