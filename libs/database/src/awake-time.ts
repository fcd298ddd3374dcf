import { Client } from 'pg';
import { clientTimeouts } from './settings.js';

/**
 * Interval of the clock, in milliseconds. A longer gap means that the process was suspended. Not shorter than the pause between
 * two heartbeats of a lock session: a cancelled timer still wakes the process once.
 */
const STEP_MS = 500;

/** No answer came in time. */
export class AnswerTimeoutError extends Error {
  override readonly name = 'AnswerTimeoutError';
}

/**
 * Waits for an answer and counts only time in which this process runs: a gap in which the event loop was suspended counts as
 * one step of 500 ms. Answers that arrived during the gap are read before the wait can end.
 * @param limit running time in milliseconds; read at each step
 * @throws AnswerTimeoutError after the limit, or the answer's own error
 */
export async function awakeFor<T>(answer: Promise<T>, limit: () => number): Promise<T> {
  let waited = 0;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    // One step at a time: the event loop reads its sockets between two steps.
    const step = (): void => {
      waited += STEP_MS;
      if (waited >= limit()) reject(new AnswerTimeoutError(`No answer within ${limit()} ms.`));
      else timer = setTimeout(step, STEP_MS);
    };
    timer = setTimeout(step, STEP_MS);
  });
  try {
    return await Promise.race([answer, over]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A connection whose statements fail when no answer comes within a second of running process time. The driver's own timeout also
 * counts time in which the process was suspended, and fails statements whose answers arrived meanwhile.
 */
export class AwakeClient extends Client {
  // oxlint-disable-next-line typescript/no-explicit-any -- overloads cannot be passed on
  override query(...args: any[]): any {
    const answer: unknown = super.query(...(args as [string]));
    return answer instanceof Promise ? awakeFor(answer, () => clientTimeouts.query_timeout) : answer;
  }
}
