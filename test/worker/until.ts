import { until as poll } from '../testing/until.js';

/** Polls with time for models, which load in processes of their own, and for tries that follow one another. */
export const until = <T>(what: string, probe: () => T | null | undefined | false, deadlineMs = 60_000): Promise<T> =>
  poll(what, probe, deadlineMs);
