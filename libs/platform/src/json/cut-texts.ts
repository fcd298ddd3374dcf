import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { BACKSLASH, ByteSurvey, endOfUnits, escapeAt, type TextLengths } from './text-bytes.js';

/** Shorter texts are not worth a cut, in bytes. */
const LONG_BYTES = 2 * 1024;
/** Depth of nesting below which nothing is cut. */
const DEPTH_MAX = 16;
/** Longer names of members stand in no place, in bytes. */
const NAME_BYTES_MAX = 32;
/** Escapes of all texts that are looked at: each takes 20 to 40 ns. */
const ESCAPES_MAX = 64 * 1024;
/** Digits of the number in a mark. */
const NUMBER_DIGITS = 6;

/** Which texts are cut out of a JSON text. */
export interface CutOptions {
  /**
   * Where they stand: the names of the members on the way to each, from the outermost on, '' for an entry of a list, joined by line
   * feeds. Whoever reads what is left must pass the texts of these places on as they are.
   */
  readonly places: ReadonlySet<string>;
  /** Most bytes that may be left. */
  readonly restMax: number;
}

/** A JSON text without its long texts. */
export interface CutJson {
  /** The JSON in UTF-8, with a mark in place of each text that was cut out. */
  readonly json: Buffer;
  readonly texts: CutTexts;
}

/** JSON with its texts. */
export interface WholeJson {
  /** In UTF-8; the texts are parts of the bytes that they were cut out of. */
  readonly pieces: readonly Uint8Array[];
  /** UTF-8 bytes that the texts have more than their marks, once they are read. */
  readonly moreBytes: number;
}

/** What stands between the quotes of a text, and its lengths once it is read. */
interface Cut extends TextLengths {
  readonly from: number;
  readonly to: number;
}

/**
 * Takes long texts out of a JSON text. The rest is read as any short one, and the texts go on in their own bytes: they are neither
 * decoded, nor parsed, nor written anew. The rest is JSON if the whole is, and must be parsed to find out.
 * @param bytes JSON in UTF-8, which the texts go on pointing to.
 * @returns null where nothing is cut: no long text in these places, too much left beside them, very many escapes, or a text that is
 *   no valid JSON or UTF-8 or holds half a surrogate pair.
 */
export function cutTexts(bytes: Uint8Array, options: CutOptions): CutJson | null {
  return new TextCutter(bytes, options).run();
}

/** The texts that were cut out of a JSON text. */
export class CutTexts {
  readonly #bytes: Buffer;
  readonly #cuts: readonly Cut[];
  /** What each mark begins with; random, so that no text can contain it. */
  readonly #id: string;
  readonly #markLength: number;

  constructor(bytes: Buffer, cuts: readonly Cut[], id: string) {
    this.#bytes = bytes;
    this.#cuts = cuts;
    this.#id = id;
    this.#markLength = id.length + NUMBER_DIGITS;
  }

  /** Puts the texts back. @param json made of values that were read with marks in them. */
  putBack(json: string): WholeJson {
    const pieces: Uint8Array[] = [];
    let moreBytes = 0;
    let from = 0;
    for (let at = this.#nextMark(json, 0); at !== -1; at = this.#nextMark(json, from)) {
      const cut = this.#cutAt(json, at);
      pieces.push(Buffer.from(json.slice(from, at)), this.#bytes.subarray(cut.from, cut.to));
      moreBytes += cut.bytes - this.#markLength;
      from = at + this.#markLength;
    }
    pieces.push(Buffer.from(json.slice(from)));
    return { pieces, moreBytes };
  }

  /** UTF-16 code units of a text that was read with marks in it. */
  unitsOf(text: string): number {
    let units = text.length;
    for (let at = this.#nextMark(text, 0); at !== -1; at = this.#nextMark(text, at + this.#markLength)) {
      units += this.#cutAt(text, at).units - this.#markLength;
    }
    return units;
  }

  /** The beginning of a text that was read with marks in it: so many code units, or one more, or all of it. */
  beginningOf(text: string, units: number): string {
    let whole = '';
    let from = 0;
    for (let at = this.#nextMark(text, 0); at !== -1 && whole.length < units; at = this.#nextMark(text, from)) {
      whole += text.slice(from, at);
      const cut = this.#cutAt(text, at);
      const end = endOfUnits(this.#bytes, cut.from, cut.to, units - whole.length);
      whole += JSON.parse(`"${this.#bytes.toString('utf8', cut.from, end)}"`) as string;
      from = at + this.#markLength;
    }
    return whole.length < units ? whole + text.slice(from) : whole;
  }

  #nextMark(text: string, from: number): number {
    return text.indexOf(this.#id, from);
  }

  #cutAt(text: string, at: number): Cut {
    const cut = this.#cuts[Number(text.slice(at + this.#id.length, at + this.#markLength))];
    if (!cut) throw new Error('A mark stands for no text.');
    return cut;
  }
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BLANK = 0x20;
/** Bytes of a string that are looked at one by one before the rest is searched. */
const NEAR_BYTES = 16;
/** Bytes that are searched as a text: where quotes and backslashes stand close together, that takes a fifth of a native search. */
const WINDOW_BYTES = 4 * 1024;

class TextCutter {
  /** A `Buffer`, whose search is native. */
  readonly #bytes: Buffer;
  readonly #options: CutOptions;
  readonly #cuts: Cut[] = [];
  #survey: ByteSurvey | undefined;
  /** Name of the member that is read, by depth; '' in a list. */
  readonly #names: string[] = [''];
  #at = 0;
  #depth = 0;
  #cutBytes = 0;
  #escapes = 0;
  /** Next quote and next backslash that were searched for; before the present position: search again. */
  #quoteAt = -1;
  #backslashAt = -1;
  #windowAt = 0;
  #window = '';

  constructor(bytes: Uint8Array, options: CutOptions) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#options = options;
  }

  run(): CutJson | null {
    const bytes = this.#bytes;
    while (this.#at < bytes.length) {
      const byte = bytes[this.#at];
      if (byte === QUOTE) {
        if (!this.#string()) return null;
      } else if (byte === 0x7b || byte === 0x5b) this.#open();
      else if (byte === 0x7d || byte === 0x5d) this.#depth -= 1;
      this.#at += 1;
      if (this.#at - this.#cutBytes > this.#options.restMax) return null;
    }
    return this.#cuts.length > 0 && isUtf8(bytes) ? this.#result() : null;
  }

  #open(): void {
    this.#depth += 1;
    this.#names[this.#depth] = '';
  }

  /** Skips a string. @returns false where nothing can be cut, because of this string. */
  #string(): boolean {
    const from = this.#at + 1;
    const escapes = this.#skip(from);
    if (!escapes) return false;
    const to = this.#at;
    const isName = this.#isName(to + 1);
    if (isName) this.#names[this.#depth] = to - from <= NAME_BYTES_MAX ? this.#bytes.toString('latin1', from, to) : '?';
    return isName || to - from < LONG_BYTES || !this.#isPlace() || this.#cut(from, to, escapes);
  }

  /** Goes to the end of a string. @returns how much less its escapes stand for; null where one is wrong, or they are too many. */
  #skip(from: number): TextLengths | null {
    const bytes = this.#bytes;
    let units = 0;
    let less = 0;
    let at = this.#nextSpecial(from);
    while (bytes[at] === BACKSLASH) {
      const escape = escapeAt(bytes, at);
      this.#escapes += 1;
      if (escape === null || this.#escapes > ESCAPES_MAX) return null;
      units += escape.units;
      less += escape.bytes;
      at = this.#nextSpecial(at + escape.length);
    }
    this.#at = at;
    return { units, bytes: less };
  }

  /** Position of the next quote or backslash; the length of the text where there is none. */
  #nextSpecial(from: number): number {
    const bytes = this.#bytes;
    const near = Math.min(from + NEAR_BYTES, bytes.length);
    for (let i = from; i < near; i += 1) if (bytes[i] === QUOTE || bytes[i] === BACKSLASH) return i;
    if (this.#quoteAt < near) this.#quoteAt = this.#positionOf('"', near);
    if (this.#backslashAt < near) this.#backslashAt = this.#positionOf('\\', near);
    return Math.min(this.#quoteAt, this.#backslashAt);
  }

  #positionOf(character: string, from: number): number {
    if (from >= this.#windowAt + this.#window.length) {
      this.#windowAt = from;
      this.#window = this.#bytes.toString('latin1', from, Math.min(from + WINDOW_BYTES, this.#bytes.length));
    }
    const near = this.#window.indexOf(character, from - this.#windowAt);
    if (near !== -1) return this.#windowAt + near;
    const far = this.#bytes.indexOf(character, this.#windowAt + this.#window.length, 'latin1');
    return far === -1 ? this.#bytes.length : far;
  }

  #isName(after: number): boolean {
    let i = after;
    while (i < this.#bytes.length && (this.#bytes[i] ?? 0) <= BLANK) i += 1;
    return this.#bytes[i] === COLON;
  }

  #isPlace(): boolean {
    return this.#depth <= DEPTH_MAX && this.#options.places.has(this.#names.slice(1, this.#depth + 1).join('\n'));
  }

  #cut(from: number, to: number, escapes: TextLengths): boolean {
    if (to === this.#bytes.length || this.#cuts.length === 10 ** NUMBER_DIGITS) return false;
    this.#survey ??= new ByteSurvey(this.#bytes);
    const units = this.#survey.unitsOf(from, to);
    if (units === null) return false;
    this.#cuts.push({ from, to, units: units - escapes.units, bytes: to - from - escapes.bytes });
    this.#cutBytes += to - from;
    return true;
  }

  #result(): CutJson {
    const id = randomUUID();
    const pieces: Uint8Array[] = [];
    let from = 0;
    for (const [nth, cut] of this.#cuts.entries()) {
      pieces.push(this.#bytes.subarray(from, cut.from), Buffer.from(`${id}${String(nth).padStart(NUMBER_DIGITS, '0')}`));
      from = cut.to;
    }
    pieces.push(this.#bytes.subarray(from));
    return { json: Buffer.concat(pieces), texts: new CutTexts(this.#bytes, this.#cuts, id) };
  }
}
