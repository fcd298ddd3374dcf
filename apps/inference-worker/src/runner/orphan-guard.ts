import { Worker } from 'node:worker_threads';
import { LEAVE_WITHIN_MS, type RunnerSetup } from './runner-messages.js';

/** What the guard's thread is told. */
export interface GuardOrder {
  /** Process id of the agent. */
  readonly agent: number;
  /** Time that the runner has from the end of its agent on, in milliseconds. */
  readonly withinMs: number;
}

/**
 * Ends this process by force once it has outlived its agent for longer than its streams and its memory need. An agent
 * kills the runners that hang; nobody else would kill those that hang when it dies. A thread does it, because native
 * code may hold the event loop, which then hears of no closed pipe.
 */
export function guardAgainstHanging({ agent, orphanDrainMs }: Pick<RunnerSetup, 'agent' | 'orphanDrainMs'>): void {
  const workerData: GuardOrder = { agent, withinMs: orphanDrainMs + LEAVE_WITHIN_MS };
  new Worker(new URL('orphan-guard-main.js', import.meta.url), { workerData }).unref();
}
