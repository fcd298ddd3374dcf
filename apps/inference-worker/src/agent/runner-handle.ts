import type { EngineLoadError } from '@slipway/engine';
import type { DrainOptions, RunnerFacts, RunnerFigures } from '../runner/runner-messages.js';

/** The end of a runner that its agent did not ask for. */
export interface RunnerEnd {
  /** Whether it ended in a crash; else it drained. */
  readonly crash: boolean;
  readonly detail: string;
  /** Resolves when its process has ended; a drained runner finishes its streams first. */
  readonly over: Promise<void>;
}

/** Receives the events of a runner. After `failed` or `gone` come no further ones, except figures. */
export interface RunnerListener {
  progress(progress: number): void;
  ready(facts: RunnerFacts): void;
  figures(figures: RunnerFigures): void;
  /** The runner cannot serve. */
  failed(error: EngineLoadError): void;
  /** The runner ended, or began to drain, without a `stop` of the agent. */
  gone(end: RunnerEnd): void;
}

/** The agent's handle of a runner, in a process of its own or inside the agent. */
export interface RunnerHandle {
  readonly pid: number;
  /**
   * Admits no new streams and lets running ones end within the time. Resolves when the runner has ended. Called again, the
   * earlier deadline counts.
   */
  stop(options: DrainOptions): Promise<void>;
}
