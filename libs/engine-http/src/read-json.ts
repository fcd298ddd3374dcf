/** Bytes that a server may say of itself: they are read in the loop that serves everybody's streams, and parsed in a few milliseconds. */
export const FACTS_LIMIT = 256 * 1024;

/** A text as JSON; null where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
