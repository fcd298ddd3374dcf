import { isAscii } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { createParser } from 'eventsource-parser';

/** Larger events are no tokens but an attack, or not a stream of ours. */
const MAX_EVENT_CHARS = 1024 * 1024;

/** A stream that breaks the rules of server-sent events or of UTF-8. The message holds nothing of its content. */
export class BrokenStreamError extends Error {
  override readonly name = 'BrokenStreamError';
}

/** Takes server-sent events out of bytes as they arrive. Comments, event names and ids are dropped. */
export class SseReader {
  /** Made with the first bytes that are not ASCII; most streams have none, and it costs more than they do. */
  #decoder: TextDecoder | null = null;
  #begun = false;
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: (event) => void this.#events.push(event.data),
    onError: (error) => {
      this.#tooLarge ||= error.type === 'max-buffer-size-exceeded';
    },
  });
  #events: string[] = [];
  #tooLarge = false;

  /**
   * Data of the events that these bytes complete. An event that the end of the stream cuts off never comes.
   * @throws BrokenStreamError
   */
  feed(bytes: Uint8Array): string[] {
    this.#parser.feed(this.#decode(bytes));
    if (this.#tooLarge) throw new BrokenStreamError('an event is larger than 1 MiB');
    const arrived = this.#events;
    this.#events = [];
    return arrived;
  }

  #decode(bytes: Uint8Array): string {
    const isFirst = !this.#begun;
    this.#begun = true;
    if (this.#decoder === null && isAscii(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    // Only at the beginning of a stream is a byte order mark one.
    this.#decoder ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: !isFirst });
    try {
      return this.#decoder.decode(bytes, { stream: true });
    } catch (cause) {
      throw new BrokenStreamError('the stream is not UTF-8', { cause });
    }
  }
}
