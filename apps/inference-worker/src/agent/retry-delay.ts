const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/**
 * Wait before the next attempt to run a model, in milliseconds. A process that crashed for the first
 * time is started again at once; a model that could not be loaded will hardly be better a moment later.
 */
export function retryDelay(failuresInRow: number, crashed: boolean): number {
  const doublings = crashed ? failuresInRow - 2 : failuresInRow - 1;
  return doublings < 0 ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** doublings);
}
