import { TextDecoder } from 'node:util';
import { createParser } from 'eventsource-parser';

/** Larger events are no tokens but an attack, or not a stream of ours. */
const MAX_EVENT_CHARS = 1024 * 1024;

/** A stream that breaks the rules of server-sent events or of UTF-8. The message holds nothing of its content. */
export class BrokenStreamError extends Error {
  override readonly name = 'BrokenStreamError';
}

/**
 * Data of server-sent events, in groups as the bytes arrive. Comments, event names and ids are dropped, and so is
 * an event that the end of the stream cuts off.
 * @throws BrokenStreamError
 */
export async function* readSse(body: AsyncIterable<Uint8Array>): AsyncGenerator<string[], void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let events: string[] = [];
  let tooLarge = false;
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: (event) => void events.push(event.data),
    onError: (error) => {
      tooLarge ||= error.type === 'max-buffer-size-exceeded';
    },
  });
  for await (const bytes of body) {
    parser.feed(decode(decoder, bytes));
    if (tooLarge) throw new BrokenStreamError('an event is larger than 1 MiB');
    const arrived = events;
    events = [];
    yield arrived;
  }
}

function decode(decoder: TextDecoder, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes, { stream: true });
  } catch (cause) {
    throw new BrokenStreamError('the stream is not UTF-8', { cause });
  }
}
