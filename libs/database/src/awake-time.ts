/** How often the time is looked at, in milliseconds. A longer gap is one in which the process stood still. */
const STEP_MS = 100;

/** Nothing came in time. */
export class AnswerTimeoutError extends Error {
  override readonly name = 'AnswerTimeoutError';
}

/**
 * Waits for an answer, for a time in which this process runs: a gap in which its loop stood still, frozen or without
 * CPU time, counts as one step of 100 ms. What arrived in the gap is read before the wait can end.
 * @param limit of running time, in milliseconds; asked at each step
 * @throws AnswerTimeoutError when it is over; the answer's own failure when that comes before
 */
export async function awakeFor<T>(answer: Promise<T>, limit: () => number): Promise<T> {
  let waited = 0;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    // One step at a time: between two of them the loop reads its sockets.
    const step = (): void => {
      waited += STEP_MS;
      if (waited > limit()) reject(new AnswerTimeoutError(`No answer within ${limit()} ms.`));
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
