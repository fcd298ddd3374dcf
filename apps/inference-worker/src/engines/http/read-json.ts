import { readText } from './upstream-client.js';

/** What a server may say of itself: it is read in the loop that serves everybody's streams, and parsed in a few milliseconds. */
export const FACTS_LIMIT = 256 * 1024;

/** A body as JSON; null where it is none, or longer than the limit in bytes. */
export async function readJson(body: AsyncIterable<Uint8Array>, limit: number): Promise<unknown> {
  const text = await readText(body, limit);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
