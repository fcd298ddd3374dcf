import { isUtf8 } from 'node:buffer';
import { BrokenStreamError, type EventShare, SseReader } from './sse-reader.js';
import { type ChoiceDelta, readChunk, type UpstreamChunk } from './upstream-chunk.js';

/** Stands for the changing text while a shape is checked. */
const PROBE = 'x';
/** Places in a chunk that are tried for its text. */
const PLACES_MAX = 4;
/** Shapes that are tried in a row without use. A server that changes more than the text of its chunks has none. */
const TRIES_MAX = 8;
/** Chunks of a shape after which it was worth learning. */
const WORTH = 4;

/** A chunk with one choice that has nothing but text. */
interface TextOnly {
  readonly model: UpstreamChunk['model'];
  readonly field: 'text' | 'think';
  readonly text: string;
  readonly index: number;
  readonly usage: UpstreamChunk['usage'];
}

/** Null for a chunk with more or less than a text. */
function textOnly({ model, choices, usage, error }: UpstreamChunk): TextOnly | null {
  const [choice, second] = choices;
  if (choice === undefined || second !== undefined || error !== null) return null;
  const { index, text, think, calls, logprobs, finish, stop } = choice;
  if (calls.length > 0 || logprobs !== null || finish !== null || stop !== null || (text === '') === (think === '')) return null;
  return text === '' ? { model, field: 'think', text: think, index, usage } : { model, field: 'text', text, index, usage };
}

const NO_CALLS: ChoiceDelta['calls'] = [];

function withText({ model, field, index, usage }: TextOnly, text: string): UpstreamChunk {
  const isText = field === 'text';
  const choice = { index, text: isText ? text : '', think: isText ? '' : text, calls: NO_CALLS, logprobs: null, finish: null, stop: null };
  return { model, choices: [choice], usage, error: null };
}

const NOT_PRINTABLE_ASCII = /[^ -[\]-~]/;
const ESCAPE_OR_CONTROL = /[^ -[\]-\xff]/;

/** The bytes between two quotes, read as JSON and UTF-8 read them; null where that takes a parser. */
function plainText(latin1: string): string | null {
  if (!NOT_PRINTABLE_ASCII.test(latin1)) return latin1 === '' ? null : latin1;
  if (ESCAPE_OR_CONTROL.test(latin1)) return null;
  const bytes = Buffer.from(latin1, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : null;
}

const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
const latin1Of = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/**
 * An event of which only one text changes from chunk to chunk. Between two quotes of JSON, all characters but quotes, escapes
 * and control characters stand for themselves, so an event with the same beginning and the same end differs in its text alone.
 */
class ChunkShape {
  /** Text of the last event that was read. */
  text = '';
  /** Where the last event that was read ends. */
  end = 0;
  /** Events that were read. */
  used = 0;

  /** @param before and `after`: bytes around the text, as Latin-1 */
  constructor(
    private readonly before: string,
    private readonly after: string,
    private readonly like: TextOnly,
  ) {}

  /** Of the last event that was read. */
  get chunk(): UpstreamChunk {
    return withText(this.like, this.text);
  }

  /** The shape of the event that these bytes are; null where it was not found. */
  static of(bytes: Uint8Array, data: string, chunk: TextOnly): ChunkShape | null {
    const framed = bufferOf(bytes).toString('utf8');
    const start = framed.indexOf(data);
    const rest = framed.slice(start + data.length);
    if (!/^(?:event: ?[^\r\n]*\r?\n)?data: ?$/.test(framed.slice(0, start)) || !/^\r?\n\r?\n$/.test(rest)) return null;
    const place = placeOf(chunk.text, data, withText(chunk, PROBE));
    if (place === null) return null;
    const at = start + place;
    return new ChunkShape(latin1Of(framed.slice(0, at)), latin1Of(framed.slice(at + chunk.text.length)), chunk);
  }

  /** @returns whether the event at `from` has this shape; `text` and `end` are then its own */
  read(latin1: string, from: number): boolean {
    // V8 compares equal strings by their bytes, and what `startsWith` is given character by character: four times as slow here.
    const start = from + this.before.length;
    if (latin1.slice(from, start) !== this.before) return false;
    const quote = latin1.indexOf('"', start);
    if (quote < 0 || latin1.slice(quote, quote + this.after.length) !== this.after) return false;
    const text = plainText(latin1.slice(start, quote));
    if (text === null) return false;
    this.text = text;
    this.end = quote + this.after.length;
    this.used += 1;
    return true;
  }
}

/** Where the text stands in this JSON: the place at which any other text would be read in its place. */
function placeOf(text: string, data: string, probed: UpstreamChunk): number | null {
  const literal = `"${text}"`;
  for (let at = data.indexOf(literal), tried = 0; at >= 0 && tried < PLACES_MAX; at = data.indexOf(literal, at + 1), tried += 1) {
    if (readsAs(`${data.slice(0, at + 1)}${PROBE}${data.slice(at + literal.length - 1)}`, probed)) return at + 1;
  }
  return null;
}

function readsAs(data: string, chunk: UpstreamChunk): boolean {
  try {
    return JSON.stringify(readChunk(data)) === JSON.stringify(chunk);
  } catch (error) {
    if (error instanceof BrokenStreamError) return false;
    throw error;
  }
}

/**
 * Reads the chunks of one streamed answer from its bytes. Servers repeat a chunk token by token with nothing but its text
 * changed: such a chunk is recognised by its bytes, all others go through the parsers of events and of JSON.
 */
export class ChunkStream {
  readonly #events: SseReader;
  #shape: ChunkShape | null = null;
  #triesLeft = TRIES_MAX;
  #inside = false;
  #done = false;

  constructor(room: EventShare) {
    this.#events = new SseReader(room);
  }

  /** Whether `[DONE]` came. What follows it is dropped. */
  get done(): boolean {
    return this.#done;
  }

  /** Whether the last bytes completed no event. */
  get inside(): boolean {
    return this.#inside;
  }

  /**
   * Hands on the chunks that these bytes complete, in their order. A chunk that the end of the stream cuts off never comes.
   * @throws BrokenStreamError at bytes that are no chunk; those before them have been handed on
   */
  feed(bytes: Uint8Array, take: (chunk: UpstreamChunk) => void): void {
    const read = this.#takeKnown(bytes, take);
    this.#inside = false;
    if (read === bytes.length) return;
    const rest = read === 0 ? bytes : bytes.subarray(read);
    const { between } = this.#events;
    const events = this.#events.feed(rest);
    this.#inside = this.#events.inside;
    for (const data of events) this.#take(data, take, between && events.length === 1 ? rest : null);
  }

  /** Gives back the room of an event that will not be completed. */
  close(): void {
    this.#events.close();
  }

  /** @returns how many bytes it took */
  #takeKnown(bytes: Uint8Array, take: (chunk: UpstreamChunk) => void): number {
    const shape = this.#shape;
    if (shape === null || this.#done || !this.#events.between) return 0;
    const latin1 = bufferOf(bytes).toString('latin1');
    let read = 0;
    while (read < latin1.length && shape.read(latin1, read)) {
      read = shape.end;
      take(shape.chunk);
    }
    return read;
  }

  /** @param whole the bytes of the event where they hold nothing else */
  #take(data: string, take: (chunk: UpstreamChunk) => void, whole: Uint8Array | null): void {
    const said = data.trim();
    if (this.#done || said === '') return;
    if (said === '[DONE]') {
      this.#done = true;
      return;
    }
    const chunk = readChunk(said);
    if (whole !== null) this.#learn(whole, said, chunk);
    take(chunk);
  }

  #learn(whole: Uint8Array, data: string, chunk: UpstreamChunk): void {
    const like = textOnly(chunk);
    if (like === null) return;
    if (this.#shape !== null && this.#shape.used >= WORTH) this.#triesLeft = TRIES_MAX;
    if (this.#triesLeft === 0) return;
    this.#triesLeft -= 1;
    this.#shape = ChunkShape.of(whole, data, like) ?? this.#shape;
  }
}
