import type { DataDir } from './data-dir.js';
import type { FirstStage } from './launch-context.js';
import type { ProcessSpec } from './supervised-process.js';

/** What the thread that starts everything gets with its start. */
export interface BringUpSetup {
  readonly stage: Omit<FirstStage, 'progress'>;
  readonly dataDir: DataDir;
  /** When the launcher began, in milliseconds since the epoch. */
  readonly since: number;
}

/** A failure without its class, which messages lose. */
export interface SentError {
  /** True for a `StartError`. */
  readonly isExpected: boolean;
  readonly message: string;
  readonly stack?: string | undefined;
  /** Message of the cause. */
  readonly cause?: string | undefined;
}

/** From the thread: a line of progress, a process to start, the report once everything serves, or why it does not. */
export type FromThread =
  | { readonly k: 'note'; readonly text: string }
  | { readonly k: 'start'; readonly spec: ProcessSpec }
  | { readonly k: 'up'; readonly report: string }
  | { readonly k: 'failed'; readonly error: SentError };

/** To the thread: a process has been started, the report was written or not, or the start is given up. */
export type ToThread =
  | { readonly k: 'started'; readonly name: string; readonly pid: number }
  | { readonly k: 'reported'; readonly written: boolean }
  | { readonly k: 'abort' };
