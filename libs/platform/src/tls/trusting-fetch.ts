import { readFile } from 'node:fs/promises';
import type { Agent } from 'undici';

type Fetch = typeof globalThis.fetch;

/**
 * A `fetch` for servers of our own: it trusts the authorities of a PEM file alone, as the file is at each request. Without a file it is
 * Node's. A file that cannot be read fails the request like a server that does not answer: with a TypeError.
 */
export function trustingFetch(caFile: string | undefined): Fetch {
  if (caFile === undefined) return globalThis.fetch;
  let known: { readonly ca: string; readonly dispatcher: Agent } | undefined;
  return async (input, init) => {
    const ca = await readFile(caFile, 'utf8').catch((cause: unknown) => {
      throw new TypeError('fetch failed', { cause });
    });
    const { Agent, fetch } = await import('undici');
    if (known?.ca !== ca) {
      void known?.dispatcher.close();
      known = { ca, dispatcher: new Agent({ connect: { ca } }) };
    }
    // Undici's own types of the same objects.
    const own = { ...init, dispatcher: known.dispatcher } as object;
    return (fetch as unknown as Fetch)(input, own);
  };
}
