import { isRefusedData } from '@slipway/database';

/** What the database refuses, and why. */
export interface Refused<T> {
  readonly item: T;
  readonly reason: string;
}

/**
 * Writes items together. Where the database refuses what they hold, each half is tried by itself until those that it refuses
 * are found; all others are written.
 * @param write all of them or none.
 * @throws what `write` throws for other reasons: then some may be written, and all can be tried again.
 */
export async function eachApart<T>(items: readonly T[], write: (items: readonly T[]) => Promise<void>): Promise<Refused<T>[]> {
  const [first] = items;
  if (first === undefined) return [];
  try {
    await write(items);
    return [];
  } catch (error) {
    if (!isRefusedData(error)) throw error;
    if (items.length === 1) return [{ item: first, reason: error instanceof Error ? error.message : String(error) }];
    const half = Math.ceil(items.length / 2);
    return [...(await eachApart(items.slice(0, half), write)), ...(await eachApart(items.slice(half), write))];
  }
}
