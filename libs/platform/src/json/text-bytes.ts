import { isAscii } from 'node:buffer';

/** Code units in UTF-16 and bytes in UTF-8 of a text. */
export interface TextLengths {
  readonly units: number;
  readonly bytes: number;
}

/** An escape in a JSON text: its length in bytes, and how much of that what it stands for has less. */
export interface Escape extends TextLengths {
  readonly length: number;
}

export const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const BLANK = 0x20;
/** What may follow a backslash, beside `u` and its digits (RFC 8259, section 7). */
const ESCAPED = Uint8Array.from({ length: 256 }, (_, byte) => Number('"\\/bfnrt'.includes(String.fromCharCode(byte))));
/** `\u` and four digits. */
const UNIT_BYTES = 6;

const SHORT: Escape = { length: 2, units: 1, bytes: 1 };
const OF_ONE_BYTE: Escape = { length: UNIT_BYTES, units: UNIT_BYTES - 1, bytes: UNIT_BYTES - 1 };
const OF_TWO_BYTES: Escape = { length: UNIT_BYTES, units: UNIT_BYTES - 1, bytes: UNIT_BYTES - 2 };
const OF_THREE_BYTES: Escape = { length: UNIT_BYTES, units: UNIT_BYTES - 1, bytes: UNIT_BYTES - 3 };
const OF_A_PAIR: Escape = { length: 2 * UNIT_BYTES, units: 2 * UNIT_BYTES - 2, bytes: 2 * UNIT_BYTES - 4 };

/** The escape at a backslash, a surrogate pair as one; null where JSON has no such escape, and for half a pair. */
export function escapeAt(bytes: Uint8Array, at: number): Escape | null {
  if (bytes[at + 1] !== LETTER_U) return ESCAPED[bytes[at + 1] ?? 0] === 1 ? SHORT : null;
  const unit = unitAt(bytes, at);
  if (unit === -1 || isLowSurrogate(unit)) return null;
  if (!isHighSurrogate(unit)) {
    if (unit < 0x80) return OF_ONE_BYTE;
    return unit < 0x800 ? OF_TWO_BYTES : OF_THREE_BYTES;
  }
  const next = at + UNIT_BYTES;
  const isPair = bytes[next] === BACKSLASH && bytes[next + 1] === LETTER_U && isLowSurrogate(unitAt(bytes, next));
  return isPair ? OF_A_PAIR : null;
}

/** The code unit that `\uXXXX` stands for; -1 where its digits are none. */
function unitAt(bytes: Uint8Array, at: number): number {
  let unit = 0;
  for (let i = at + 2; i < at + UNIT_BYTES; i += 1) {
    const digit = digitOf(bytes[i] ?? 0);
    if (digit === -1) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  // `| 0x20` makes a letter lower case.
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Where the first so many code units of a JSON text end, between whole characters. @param to end of the text, which is valid */
export function endOfUnits(bytes: Uint8Array, from: number, to: number, units: number): number {
  let at = from;
  for (let left = units; left > 0 && at < to;) {
    const byte = bytes[at] ?? 0;
    if (byte === BACKSLASH) {
      const escape = escapeAt(bytes, at) ?? SHORT;
      at += escape.length;
      left -= escape.length - escape.units;
    } else {
      at += bytesOfCharacter(byte);
      left -= byte < 0xf0 ? 1 : 2;
    }
  }
  return at;
}

/** @param first byte of a character in UTF-8. */
function bytesOfCharacter(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

const WORD_BYTES = 4;
/** The highest and the lowest bit of each byte of a word, and a blank in each. */
const HIGH_BITS = 0x80808080;
const LOW_BITS = 0x01010101;
const BLANKS = 0x20202020;

/** Looks at ranges of bytes, a word at a time. */
export class ByteSurvey {
  readonly #bytes: Buffer;
  readonly #words: Int32Array;
  /** Position of the first word. */
  readonly #start: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#start = Math.min(bytes.length, (WORD_BYTES - (bytes.byteOffset % WORD_BYTES)) % WORD_BYTES);
    this.#words = new Int32Array(bytes.buffer, bytes.byteOffset + this.#start, Math.floor((bytes.length - this.#start) / WORD_BYTES));
  }

  /** UTF-16 code units of a range of valid UTF-8; null where it holds a control character, which JSON allows in no text. */
  unitsOf(from: number, to: number): number | null {
    const first = Math.min(to, from + ((WORD_BYTES - ((from - this.#start + WORD_BYTES) % WORD_BYTES)) % WORD_BYTES));
    const words = (to - first) >> 2;
    const firstWord = (first - this.#start) >> 2;
    const edges = [...this.#bytes.subarray(from, first), ...this.#bytes.subarray(first + words * WORD_BYTES, to)];
    if (hasControl(this.#words, firstWord, firstWord + words) || edges.some((byte) => byte < BLANK)) return null;
    if (isAscii(this.#bytes.subarray(from, to))) return to - from;
    return unitsOfWords(this.#words, firstWord, firstWord + words) + unitsIn(edges);
  }
}

function hasControl(words: Int32Array, from: number, to: number): boolean {
  let below = 0;
  for (let i = from; i < to; i += 1) {
    const word = words[i] ?? 0;
    // Sets the highest bit of a byte below 0x20. A borrow sets others only above such a byte.
    below |= (word - BLANKS) & ~word;
  }
  return (below & HIGH_BITS) !== 0;
}

function unitsOfWords(words: Int32Array, from: number, to: number): number {
  let units = WORD_BYTES * (to - from);
  for (let i = from; i < to; i += 1) {
    const word = words[i] ?? 0;
    if ((word & HIGH_BITS) === 0) continue;
    // A byte that continues a character is no code unit, and the first of four bytes is two.
    const continuing = (word >>> 7) & ~(word >>> 6) & LOW_BITS;
    const ofFour = (word >>> 7) & (word >>> 6) & (word >>> 5) & (word >>> 4) & LOW_BITS;
    units += sumOfBytes(ofFour) - sumOfBytes(continuing);
  }
  return units;
}

/** The sum of the bytes of a word, each 0 or 1. */
const sumOfBytes = (word: number): number => Math.imul(word, LOW_BITS) >>> 24;

function unitsIn(bytes: readonly number[]): number {
  let units = 0;
  for (const byte of bytes) if ((byte & 0xc0) !== 0x80) units += byte < 0xf0 ? 1 : 2;
  return units;
}
