import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  readonly everyMs?: number;
  readonly withinMs: number;
  /** Makes the error when the time is over. */
  readonly timedOut: () => Error;
  readonly signal: AbortSignal;
}

/**
 * Asks until the answer is neither null nor false, and returns it.
 * @throws what `timedOut` makes; the reason of the signal when that is aborted.
 */
export async function waitUntil<T>(ask: () => Promise<T | null | false>, options: WaitOptions): Promise<T> {
  const { everyMs = 50, withinMs, timedOut, signal } = options;
  const deadline = Date.now() + withinMs;
  for (;;) {
    signal.throwIfAborted();
    const answer = await ask();
    if (answer !== null && answer !== false) return answer;
    if (Date.now() > deadline) throw timedOut();
    await delay(everyMs, undefined, { signal });
  }
}
