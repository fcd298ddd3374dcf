import { overWithin } from '@slipway/platform';

/** A replica that works answers sooner than this, in milliseconds. */
const SECOND_AFTER_MS = 300;

/**
 * Asks, and asks once more where no answer comes soon: questions go to any of a service's replicas, and one that is frozen
 * gets its share of them until its NATS server gives it up. Only for questions that change nothing.
 * @throws what the first question failed with, when both did.
 */
export async function askTwice<T>(ask: () => Promise<T>): Promise<T> {
  const first = ask();
  if (await overWithin(SECOND_AFTER_MS, Promise.allSettled([first]))) return first;
  try {
    return await Promise.any([first, ask()]);
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
}
