import type { EngineLoadError } from '@slipway/engine';
import type { Farewell, RunnerFacts, RunnerFigures } from '../runner/runner-messages.js';

/** An end that its keeper did not ask for. */
export interface RunnerEnd {
  /** Not in an orderly way. */
  readonly crash: boolean;
  readonly detail: string;
  /** Resolves when nothing of it is left: an orderly end first finishes its streams. */
  readonly over: Promise<void>;
}

/** What the keeper of a runner hears from it. After `failed` or `gone` it hears nothing more. */
export interface RunnerListener {
  progress(progress: number): void;
  ready(facts: RunnerFacts): void;
  figures(figures: RunnerFigures): void;
  /** It cannot serve, and says why. */
  failed(error: EngineLoadError): void;
  /** It ended, or began to, without being told to. */
  gone(end: RunnerEnd): void;
}

/** A runner as its agent holds it, in a process of its own or not. */
export interface RunnerHandle {
  readonly pid: number;
  /**
   * Takes nothing new, lets running streams end within the time; resolves when nothing of it is left. Called again, the
   * nearer deadline counts.
   */
  stop(farewell: Farewell): Promise<void>;
}
