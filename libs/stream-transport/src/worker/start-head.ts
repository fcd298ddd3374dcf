import { Start } from '@slipway/contracts';

/** What a start says before its request. */
const StartHead = Start.message.omit({ req: true });
export type StartHead = Omit<Start, 'req'>;

/** A head is shorter than this, in bytes. */
const HEAD_BYTES = 4 * 1024;

/**
 * Reads the head of a start without a look at its request, which may be megabytes.
 * @returns null where it does not stand before the request: then all of the start must be read.
 */
export function readHead(body: Uint8Array): StartHead | null {
  const beginning = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, HEAD_BYTES));
  const end = beginning.indexOf(',"req":');
  if (end < 0) return null;
  try {
    return StartHead.safeParse(JSON.parse(`${beginning.toString('utf8', 0, end)}}`)).data ?? null;
  } catch {
    return null;
  }
}
