import { withdrawControl } from './run-records.js';
import { BringUp } from './bring-up.js';
import { openDataDir } from './data-dir.js';
import type { FirstStage } from './launch-context.js';
import { Supervisor } from './supervisor.js';

/** Exit code after a second signal, as after SIGINT in shells. */
const KILLED = 130;
/** A graceful stop that takes longer is forced, so that a stop ends within 10 s; in milliseconds. */
const ORDERED_WITHIN_MS = 8_000;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Counts stop signals: the first one stops gracefully, the second one kills. */
class StopSignals {
  readonly #listener = (): void => this.#onSignal();
  #count = 0;
  #first: () => void = () => undefined;
  #second: () => void = () => undefined;

  /** Resolves with the first signal. */
  readonly first = new Promise<void>((resolve) => {
    this.#first = resolve;
  });
  /** Resolves with the second one. */
  readonly second = new Promise<void>((resolve) => {
    this.#second = resolve;
  });

  constructor() {
    for (const name of SIGNALS) process.on(name, this.#listener);
  }

  /** How many came. */
  get count(): number {
    return this.#count;
  }

  #onSignal(): void {
    this.#count += 1;
    if (this.#count > 1) {
      this.#second();
      return;
    }
    this.#first();
  }
}

/** What runs in this thread. */
interface Running {
  readonly stage: FirstStage;
  readonly supervisor: Supervisor;
  readonly bringUp: BringUp;
}

/** Stops everything in order; a second signal kills what is left. */
async function stop({ supervisor, stage, bringUp }: Running, signals: StopSignals): Promise<number> {
  stage.progress.note('Stopping …');
  const since = performance.now();
  const ordered = Promise.all([bringUp.abort(), supervisor.stop()]).then(() => 0);
  const force = setTimeout(() => void supervisor.kill(), ORDERED_WITHIN_MS);
  const code = await Promise.race([ordered, signals.second.then(() => KILLED)]);
  clearTimeout(force);
  if (code === KILLED) await supervisor.kill();
  stage.progress.note(code === 0 ? `Stopped (${((performance.now() - since) / 1_000).toFixed(1)} s).` : 'Killed.');
  return code;
}

/** @returns false when the output was closed */
const write = (text: string): Promise<boolean> => new Promise((resolve) => process.stdout.write(text, (error) => resolve(!error)));

/** Starts everything and keeps it running until the first signal. */
async function serve({ supervisor, bringUp }: Running, signals: StopSignals): Promise<void> {
  try {
    const report = await Promise.race([bringUp.report, supervisor.failure, signals.first]);
    if (report !== undefined) {
      supervisor.supervise();
      await bringUp.reported(await write(report));
      await signals.first;
    }
  } catch (error) {
    if (signals.count > 0) return;
    await Promise.race([Promise.all([bringUp.abort(), supervisor.stop()]), signals.first.then(() => supervisor.kill())]);
    throw error;
  }
}

/**
 * The launcher's second stage: starts everything, prints how to use it, and keeps it running until a signal.
 * @returns the exit code: 0 after a graceful stop
 * @throws StartError when something does not start; everything is stopped then
 */
export async function launch(stage: FirstStage): Promise<number> {
  const signals = new StopSignals();
  const { progress, ...sent } = stage;
  const dataDir = await openDataDir(stage.options.dataDir);
  const supervisor = new Supervisor(progress, dataDir);
  const setup = { stage: { ...sent, environment: { ...stage.environment } }, dataDir, since: performance.timeOrigin };
  const running = { stage, supervisor, bringUp: new BringUp(setup, { supervisor, progress }) };
  try {
    await serve(running, signals);
    return await stop(running, signals);
  } finally {
    await withdrawControl(dataDir);
  }
}
