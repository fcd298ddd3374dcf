import { ServiceError } from '@slipway/contracts';
import type { ThreadPool } from '@slipway/platform';
import { type PrepareOutcome, type PrepareTask, prepareWithoutTexts } from './prepare-task.js';
import type { PreparedCount, PreparedRequest } from './prepared-request.js';
import type { VectorAnswer } from './read-vectors.js';

/** Who waits for a start to be read. */
export interface Waiter {
  /** Null = none. */
  readonly account: number | null;
  readonly signal: AbortSignal;
}

type Prepared<T extends PrepareTask> = T extends { readonly kind: 'count' }
  ? PreparedCount
  : T extends { readonly kind: 'vectors' }
    ? VectorAnswer
    : PreparedRequest;

/**
 * Has a large start read, and what its server is sent written out, in a thread in which accounts take turns.
 * @throws ServiceError what the request is refused for; the signal's reason after it aborted.
 */
export async function prepareApart<T extends PrepareTask>(
  threads: Pick<ThreadPool, 'run'>,
  task: T,
  { account, signal }: Waiter,
): Promise<Prepared<T>> {
  // Its memory belongs to a message, or to several.
  const start = new Uint8Array(task.start);
  const work = threads.run<PrepareOutcome>({
    message: { ...task, start },
    transfer: [start.buffer],
    owner: { account: account ?? 0, key: 0 },
    isWanted: () => !signal.aborted,
  });
  const outcome = await untilAborted(signal, work);
  if (outcome.kind === 'failed') throw new Error(`A start could not be read: ${outcome.reason}`);
  if (outcome.kind === 'refused') throw new ServiceError(outcome.code, outcome.message, outcome.options);
  // A thread answers with what it was asked for.
  return outcome.prepared as Prepared<T>;
}

/**
 * What a server is sent for a large start, written out at once where its texts need no reading, else in a thread.
 * @throws ServiceError as `prepareApart` does
 */
export async function prepareLarge(
  threads: Pick<ThreadPool, 'run'>,
  start: Uint8Array,
  options: Extract<PrepareTask, { kind: 'request' }>['options'],
  waiter: Waiter,
): Promise<PreparedRequest> {
  return prepareWithoutTexts(start, options) ?? prepareApart(threads, { kind: 'request', start, options }, waiter);
}

async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
  });
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
    work.catch(() => undefined);
  }
}
