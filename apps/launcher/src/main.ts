import { withdrawControl } from './run-records.js';
import type { FirstStage, LaunchContext } from './launch-context.js';
import { bringUp, prepare, report } from './launch.js';

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
  readonly #aborting = new AbortController();

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

  /** Aborted by the first signal. */
  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  #onSignal(): void {
    this.#count += 1;
    if (this.#count > 1) {
      this.#second();
      return;
    }
    this.#first();
    this.#aborting.abort();
  }
}

/** Stops everything in order; a second signal kills what is left. */
async function stop({ supervisor, stage }: LaunchContext, signals: StopSignals): Promise<number> {
  stage.progress.note('Stopping …');
  const since = performance.now();
  const ordered = supervisor.stop().then(() => 0);
  const force = setTimeout(() => void supervisor.kill(), ORDERED_WITHIN_MS);
  const code = await Promise.race([ordered, signals.second.then(() => KILLED)]);
  clearTimeout(force);
  if (code === KILLED) await supervisor.kill();
  stage.progress.note(code === 0 ? `Stopped (${((performance.now() - since) / 1_000).toFixed(1)} s).` : 'Killed.');
  return code;
}

/** Starts everything and keeps it running until the first signal. */
async function serve(context: LaunchContext, signals: StopSignals, failing: AbortController): Promise<void> {
  const { supervisor } = context;
  try {
    const result = await Promise.race([bringUp(context), supervisor.failure, signals.first]);
    if (result) {
      supervisor.supervise();
      await report(context, result);
      await signals.first;
    }
  } catch (error) {
    if (signals.signal.aborted) return;
    failing.abort();
    await Promise.race([supervisor.stop(), signals.first.then(() => supervisor.kill())]);
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
  const failing = new AbortController();
  const context = await prepare(stage, AbortSignal.any([signals.signal, failing.signal]));
  try {
    await serve(context, signals, failing);
    return await stop(context, signals);
  } finally {
    await withdrawControl(context.dataDir);
  }
}
