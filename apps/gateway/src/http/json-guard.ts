import { type ErrorCode, isRecord, ServiceError } from '@slipway/contracts';

/** Deeper nesting than any request needs; recursion over parsed values is safe below it. */
const MAX_DEPTH = 64;
/** Most keys of an object; checking hundreds of thousands would block the event loop for seconds. */
const MAX_KEYS = 2_048;
/** Most values of a body, which could otherwise hold millions of empty objects. */
const MAX_VALUES = 200_000;
/** Keys that decide the cost of a request. Of two equal ones, readers could use different ones. */
const CRITICAL: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'input', 'stream'],
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens'],
]);
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor']);
/** No key above is longer, even with every character escaped. */
const LONGEST_KEY = 6 * 'max_completion_tokens'.length;

/** Bytes of a string that are looked at one by one before the rest is searched. */
const NEAR_BYTES = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const LETTER_U = 0x75;
/** A number with fewer digits and a shorter exponent is finite (the largest double has 309 digits). */
const SAFE_EXPONENT_DIGITS = 2;
const SAFE_DIGITS = 200;

/** Faults of a text that a parser's result no longer shows. */
export interface JsonTraits {
  /** A string holds an escaped lone surrogate, which UTF-8 cannot represent. */
  readonly halfSurrogate: boolean;
  /** A number exceeds the range of a double and would become infinite. */
  readonly infiniteNumber: boolean;
}

export type GuardVerdict = JsonTraits | { readonly code: ErrorCode; readonly message: string };

/** Checks the bytes of a JSON text in one pass, before it is parsed, for what `JSON.parse` would accept or take too long for. */
function guardJson(bytes: Uint8Array): GuardVerdict {
  return new Guard(bytes).run();
}

class Guard {
  #at = 0;
  #depth = 0;
  #values = 1;
  #halfSurrogate = false;
  #infiniteNumber = false;
  readonly #seen = new Set<string>();
  /** Number of keys so far of the open object at each depth. */
  readonly #keys = new Uint32Array(MAX_DEPTH + 1);

  /** A `Buffer`, whose search is native: a typed array's own takes 30 times as long. */
  readonly #bytes: Buffer;
  /** Next quote and next backslash that were searched for; before the present position: search again. */
  #quoteAt = -1;
  #backslashAt = -1;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  run(): GuardVerdict {
    const bytes = this.#bytes;
    while (this.#at < bytes.length) {
      const byte = bytes[this.#at];
      const refusal = byte === QUOTE ? this.#text() : this.#structure(byte ?? 0);
      if (refusal) return refusal;
      this.#at += 1;
    }
    return { halfSurrogate: this.#halfSurrogate, infiniteNumber: this.#infiniteNumber };
  }

  #structure(byte: number): GuardVerdict | null {
    if (byte >= 0x30 && byte <= 0x39) this.#number();
    else if (byte === COMMA) return this.#value();
    else if (byte === COLON) return this.#countKey();
    else if (byte === 0x7b || byte === 0x5b) return this.#open();
    else if (byte === 0x7d || byte === 0x5d) this.#close(byte);
    return null;
  }

  #close(byte: number): void {
    this.#depth -= 1;
    // The opening bracket was counted as a first value, but the container is empty. Codes of a bracket pair differ by two.
    if (this.#bytes[this.#at - 1] === byte - 2) this.#values -= 1;
  }

  /** Skips a number. Only a very long one is evaluated. */
  #number(): void {
    const bytes = this.#bytes;
    const start = this.#at;
    let i = start;
    let exponent = -1;
    for (; i < bytes.length; i += 1) {
      const byte = bytes[i] ?? 0;
      if (byte === 0x65 || byte === 0x45) exponent = i;
      else if (!isOfNumber(byte)) break;
    }
    this.#at = i - 1;
    const isSmall = i - start <= SAFE_DIGITS && (exponent === -1 || i - exponent - 1 <= SAFE_EXPONENT_DIGITS);
    if (!isSmall && !Number.isFinite(Number(Buffer.from(bytes.buffer, bytes.byteOffset + start, i - start).toString('latin1')))) {
      this.#infiniteNumber = true;
    }
  }

  /** Counts a value, at each comma and opening bracket. */
  #value(): GuardVerdict | null {
    this.#values += 1;
    return this.#values > MAX_VALUES ? { code: 'invalid_json', message: `The body holds more than ${MAX_VALUES} values.` } : null;
  }

  #open(): GuardVerdict | null {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) return { code: 'json_too_deep', message: `The body is nested deeper than ${MAX_DEPTH} levels.` };
    this.#keys[this.#depth] = 0;
    return this.#value();
  }

  /** Counts a key of the open object. */
  #countKey(): GuardVerdict | null {
    const keys = (this.#keys[this.#depth] ?? 0) + 1;
    this.#keys[this.#depth] = keys;
    return keys > MAX_KEYS ? { code: 'invalid_json', message: `An object of the body has more than ${MAX_KEYS} keys.` } : null;
  }

  /** Skips a string, and checks it when it is a key. */
  #text(): GuardVerdict | null {
    const bytes = this.#bytes;
    const start = this.#at;
    let escaped = false;
    let i = this.#nextSpecial(start + 1);
    while (bytes[i] === BACKSLASH) {
      escaped = true;
      i += 1;
      if (bytes[i] === LETTER_U) i = this.#unit(i);
      i = this.#nextSpecial(i + 1);
    }
    this.#at = i;
    if (i - start > LONGEST_KEY || !this.#isKey(i + 1)) return null;
    return this.#key(Buffer.from(bytes.buffer, bytes.byteOffset + start, i + 1 - start).toString('utf8'), escaped);
  }

  /** Position of the next quote or backslash; the length of the text where there is none. Short strings need no search. */
  #nextSpecial(from: number): number {
    const bytes = this.#bytes;
    const near = Math.min(from + NEAR_BYTES, bytes.length);
    for (let i = from; i < near; i += 1) if (bytes[i] === QUOTE || bytes[i] === BACKSLASH) return i;
    if (this.#quoteAt < near) this.#quoteAt = positionOf(bytes, QUOTE, near);
    if (this.#backslashAt < near) this.#backslashAt = positionOf(bytes, BACKSLASH, near);
    return Math.min(this.#quoteAt, this.#backslashAt);
  }

  /**
   * Skips an escaped surrogate pair, and records a lone surrogate.
   * @param at position of the `u`. @returns the last byte of the pair, or `at` where there is none
   */
  #unit(at: number): number {
    const half = this.#surrogate(at);
    if (half === null) return at;
    const isPair = half === 'high' && this.#bytes[at + 5] === BACKSLASH && this.#surrogate(at + 6) === 'low';
    if (!isPair) this.#halfSurrogate = true;
    return isPair ? at + 10 : at;
  }

  /** Which surrogate an escape stands for, `\uD800` to `\uDFFF`; null = none. */
  #surrogate(at: number): 'high' | 'low' | null {
    const bytes = this.#bytes;
    // `| 0x20` makes a letter lower case and leaves a digit as it is.
    if (bytes[at] !== LETTER_U || ((bytes[at + 1] ?? 0) | 0x20) !== 0x64) return null;
    const second = (bytes[at + 2] ?? 0) | 0x20;
    if (second === 0x38 || second === 0x39 || second === 0x61 || second === 0x62) return 'high';
    return second >= 0x63 && second <= 0x66 ? 'low' : null;
  }

  #isKey(after: number): boolean {
    let i = after;
    while (i < this.#bytes.length && (this.#bytes[i] ?? 0) <= 0x20) i += 1;
    return this.#bytes[i] === COLON;
  }

  #key(quoted: string, escaped: boolean): GuardVerdict | null {
    const key = escaped ? unescape(quoted) : quoted.slice(1, -1);
    if (FORBIDDEN.has(key)) return { code: 'invalid_json', message: `The body may not contain the key "${key}".` };
    if (this.#depth !== 1 || !CRITICAL.has(key)) return null;
    if (this.#seen.has(key)) return { code: 'invalid_json', message: `The key "${key}" appears more than once.` };
    this.#seen.add(key);
    return null;
  }
}

function positionOf(bytes: Buffer, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from);
  return at === -1 ? bytes.length : at;
}

function unescape(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return '';
  }
}

/** A digit, a sign or the point. */
const isOfNumber = (byte: number): boolean => (byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x2b || byte === 0x2d;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Result of parsing a body; can be sent between threads. */
type ParseOutcome = { readonly value: Record<string, unknown> } | { readonly code: ErrorCode; readonly message: string };

const refuse = (code: ErrorCode, message: string): ParseOutcome => ({ code, message });

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Parses a request body. Error messages never quote it: they hold positions and names of known keys. */
export function parseBody(bytes: Uint8Array): ParseOutcome {
  if (bytes.length === 0) return refuse('invalid_json', 'The body is empty; send a JSON object.');
  if (BYTE_ORDER_MARK.equals(bytes.subarray(0, 3)))
    return refuse('invalid_json', 'The body starts with a byte order mark; send it without.');
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    return refuse('invalid_utf8', 'The body is not valid UTF-8.');
  }
  const traits = guardJson(bytes);
  if ('code' in traits) return traits;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuse('invalid_json', `The body is not valid JSON${positionIn(error)}.`);
  }
  if (!isRecord(value)) return refuse('invalid_json', 'The body must be a JSON object.');
  // Checked after the syntax: the next reader would read these two values differently.
  if (traits.halfSurrogate) return refuse('invalid_unicode', 'A string of the body holds half a surrogate pair.');
  if (traits.infiniteNumber) return refuse('invalid_value', 'A number of the body is too large.');
  return { value };
}

/** The parsed body. @throws ServiceError where it is invalid */
export function parsedValue(outcome: ParseOutcome): Record<string, unknown> {
  if ('code' in outcome) throw new ServiceError(outcome.code, outcome.message);
  return outcome.value;
}

/** True for a value nested deeper than a body may be. For JSON inside a string of the body, which `guardJson` does not check. */
export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
}

/** V8's message quotes the body, so only the position is taken from it. */
function positionIn(error: unknown): string {
  const position = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? '' : ` at position ${position}`;
}
