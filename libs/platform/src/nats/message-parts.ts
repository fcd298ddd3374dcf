import type { NatsConnection } from '@nats-io/transport-node';

/** Bytes reserved for a message's subject, headers and frame. */
const HEADROOM_BYTES = 4_096;
/** Default of servers that do not report their largest message. */
const USUAL_PAYLOAD_BYTES = 1_048_576;
/** Most incomplete series at one time. */
const OPEN_SERIES = 4;

/** Largest message content that the server accepts, in bytes. */
export const messageBytesOf = (nats: Pick<NatsConnection, 'info'>): number =>
  (nats.info?.max_payload ?? USUAL_PAYLOAD_BYTES) - HEADROOM_BYTES;

/**
 * Groups texts into parts of at most `maxBytes`, with one byte between texts. A longer text gets a part of its own. No texts
 * give no part.
 */
export function inParts(texts: readonly string[], maxBytes: number): string[][] {
  const parts: string[][] = [];
  let room = 0;
  for (const text of texts) {
    const bytes = Buffer.byteLength(text) + 1;
    if (bytes > room || parts.length === 0) {
      parts.push([]);
      room = maxBytes;
    }
    parts.at(-1)?.push(text);
    room -= bytes;
  }
  return parts;
}

interface Series<T> {
  readonly of: number;
  readonly parts: Map<number, T>;
}

/**
 * Reassembles series of messages that arrive in any order and possibly repeatedly. Only the four newest incomplete series are
 * kept, so that lost parts leak no memory.
 */
export class PartCollector<T> {
  readonly #open = new Map<string, Series<T>>();

  /** Adds a part. @returns all parts in order once the series is complete, else null. */
  add(series: string, { i, of }: { readonly i: number; readonly of: number }, content: T): T[] | null {
    if (i >= of) return null;
    const known = this.#open.get(series);
    const open = known?.of === of ? known : { of, parts: new Map<number, T>() };
    this.#open.set(series, open);
    open.parts.set(i, content);
    if (open.parts.size === of) {
      this.#open.delete(series);
      return [...open.parts].sort(([a], [b]) => a - b).map(([, part]) => part);
    }
    const [oldest] = this.#open.keys();
    if (oldest !== undefined && this.#open.size > OPEN_SERIES) this.#open.delete(oldest);
    return null;
  }
}
