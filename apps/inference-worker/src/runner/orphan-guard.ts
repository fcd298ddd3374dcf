import { Worker } from 'node:worker_threads';
import { LEAVE_WITHIN_MS, type RunnerSetup } from './runner-messages.js';

/** Input of the guard's thread. */
export interface GuardOrder {
  /** Process id of the agent. */
  readonly agent: number;
  /** Time that the runner has from the end of its agent on, in milliseconds. */
  readonly withinMs: number;
}

/**
 * Kills this process when it has outlived its agent for longer than it needs to finish streams and free memory. A living agent
 * kills hung runners itself. Runs in a thread, because native code may block the event loop, which then sees no closed pipe.
 */
export function guardAgainstHanging({ agent, orphanDrainMs }: Pick<RunnerSetup, 'agent' | 'orphanDrainMs'>): void {
  const workerData: GuardOrder = { agent, withinMs: orphanDrainMs + LEAVE_WITHIN_MS };
  new Worker(new URL('orphan-guard-main.js', import.meta.url), { workerData }).unref();
}
