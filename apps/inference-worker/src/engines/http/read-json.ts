import { readText } from './upstream-client.js';

/** Largest answer to a question beside the chat: a count of vLLM lists every token. */
const BODY_LIMIT = 16 * 1024 * 1024;

/** A body as JSON; null where it is none. */
export async function readJson(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const text = await readText(body, BODY_LIMIT);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
