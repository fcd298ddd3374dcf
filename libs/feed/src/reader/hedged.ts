import { overWithin } from '@slipway/platform';

/** A healthy replica answers sooner than this, in milliseconds. */
const SECOND_AFTER_MS = 300;

/**
 * Hedged request: asks again when no answer comes within 300 ms, and takes the first answer. A frozen replica receives its
 * share of requests until the NATS server drops its connection. Only for requests without side effects.
 * @throws the error of the first request, when both fail.
 */
export async function hedged<T>(ask: () => Promise<T>): Promise<T> {
  const first = ask();
  if (await overWithin(SECOND_AFTER_MS, Promise.allSettled([first]))) return first;
  try {
    return await Promise.any([first, ask()]);
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
}
