import type { NatsConnection } from '@nats-io/transport-node';

/** What a message's subject, headers and frame may take of the most that the server accepts. */
const HEADROOM_BYTES = 4_096;
/** What servers accept that do not say. */
const USUAL_PAYLOAD_BYTES = 1_048_576;
/** Series that may be incomplete at the same time. */
const OPEN_SERIES = 4;

/** The largest message that the server accepts, in bytes. */
export const messageBytesOf = (nats: Pick<NatsConnection, 'info'>): number =>
  (nats.info?.max_payload ?? USUAL_PAYLOAD_BYTES) - HEADROOM_BYTES;

/**
 * Splits texts so that those of a part, with one byte between them, take at most `maxBytes`. A longer text is alone in its
 * part. Nothing gives no part.
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
 * Puts a series of messages together, whatever their order and however often they arrive. Only the four newest begun
 * series are kept: of one whose parts were lost nothing remains for ever.
 */
export class PartCollector<T> {
  readonly #open = new Map<string, Series<T>>();

  /** @returns the parts in their order once the series is whole, else null. */
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
