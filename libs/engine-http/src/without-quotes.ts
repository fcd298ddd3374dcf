/** Shortest run of characters that counts as a quotation: shorter ones are words that anybody uses. */
const RUN = 16;
const SHORTEST_TEXT = 4;
/** Texts are compared up to this many characters in all; beyond, nothing of the words is kept. */
export const COMPARED_CHARS = 1024 * 1024;
/** What a text costs beside its characters, in characters: a request may have very many short ones. */
const TEXT_COST = 64;
/** How far behind the shown words is looked, in characters: a quotation that begins before the cut must be known as one. */
export const LOOKAHEAD = 64;
const MARK = '…';

/** Multiplier of the hash over a run, and what its oldest character has been multiplied by. */
const FACTOR = 0x01000193;
const OLDEST = Array.from({ length: RUN }).reduce<number>((power) => Math.imul(power, FACTOR), 1);

/**
 * The first words of an engine without what they quote of the texts that it was sent: every run of 16 characters or more that
 * stands in one of them, and every whole text of at least 4, becomes `…`. Engines repeat prompts and credentials in errors,
 * and neither belongs into a log. Empty where the texts are too long to be compared. Takes some 10 ms at most.
 * @param texts plain, or as JSON
 * @param shown characters of the words that are kept at most
 */
export function withoutQuotes(words: string, texts: Iterable<string>, shown: number): string {
  const quotes = new Quotes(words.slice(0, shown + LOOKAHEAD));
  let compared = 0;
  for (const text of texts) {
    compared += text.length + TEXT_COST;
    if (compared > COMPARED_CHARS + TEXT_COST) return '';
    quotes.compare(text);
  }
  return quotes.rest(shown);
}

const [BACKSLASH, BLANK] = [0x5c, 0x20] as const;
/** Letters that stand for a blank behind a backslash. */
const BLANKS: ReadonlySet<number> = new Set(Buffer.from('nrtfb'));
/** Blanks, controls and marks that are not seen: words of engines come with a blank in their place. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]/u;
const UNSEEN_CODES = Uint8Array.from({ length: 1 << 16 }, (_, code) => Number(UNSEEN.test(String.fromCharCode(code))));

/**
 * The code units of a text as they are compared: every run of blanks as one, without the backslashes that JSON and error
 * messages add, in whatever number.
 * @param places is filled with where each of them stands in the text.
 */
function codesOf(text: string, places?: number[]): Uint16Array {
  const codes = new Uint16Array(text.length);
  let length = 0;
  let isEscaped = false;
  for (let at = 0; at < text.length; at += 1) {
    const given = text.charCodeAt(at);
    if (given === BACKSLASH) {
      isEscaped = true;
      continue;
    }
    const code = UNSEEN_CODES[given] === 1 || (isEscaped && BLANKS.has(given)) ? BLANK : given;
    isEscaped = false;
    if (code === BLANK && (length === 0 || codes[length - 1] === BLANK)) continue;
    codes[length] = code;
    places?.push(at);
    length += 1;
  }
  return codes.subarray(0, length);
}

/** Hash of the run that ends with this code, of the one before it. */
function rolled(hash: number, codes: Uint16Array, end: number): number {
  const gone = end >= RUN ? Math.imul(codes[end - RUN] ?? 0, OLDEST) : 0;
  return (Math.imul(hash, FACTOR) + (codes[end] ?? 0) - gone) | 0;
}

/** What of some words stands in texts. */
class Quotes {
  /** Where each code stands in the words. */
  readonly #places: number[] = [];
  readonly #codes: Uint16Array;
  readonly #text: string;
  readonly #isQuoted: Uint8Array;
  /** Places of runs that were met in no text yet, by their hash. */
  readonly #runs = new Map<number, number[]>();
  /** How many hashes begin with the same bits: most of a text needs to look no further. */
  readonly #slots = new Uint16Array(1 << 16);

  constructor(private readonly words: string) {
    this.#codes = codesOf(words, this.#places);
    this.#text = String.fromCharCode(...this.#codes);
    this.#isQuoted = new Uint8Array(words.length);
    let hash = 0;
    for (let end = 0; end < this.#codes.length; end += 1) {
      hash = rolled(hash, this.#codes, end);
      if (end >= RUN - 1) this.#expect(hash, end - RUN + 1);
    }
  }

  compare(text: string): void {
    const codes = codesOf(text);
    if (codes.length < RUN) return this.#meetWhole(String.fromCharCode(...codes).trim());
    let hash = 0;
    for (let end = 0; end < codes.length; end += 1) {
      hash = rolled(hash, codes, end);
      if (this.#slots[hash >>> 16] !== 0 && end >= RUN - 1) this.#meet(hash, codes, end - RUN + 1);
    }
  }

  /** The first words, with a mark in place of each quotation. */
  rest(shown: number): string {
    let result = '';
    for (let i = 0; i < Math.min(shown, this.words.length); i += 1) {
      if (!this.#isQuoted[i]) result += this.words[i] ?? '';
      else if (i === 0 || !this.#isQuoted[i - 1]) result += MARK;
    }
    return result;
  }

  #expect(hash: number, place: number): void {
    const places = this.#runs.get(hash);
    if (places) places.push(place);
    else {
      this.#runs.set(hash, [place]);
      this.#count(hash, 1);
    }
  }

  /** A run is looked for until it is met: a text that repeats it costs no more than others. */
  #meet(hash: number, codes: Uint16Array, at: number): void {
    const isMet = (place: number): boolean => {
      for (let i = 0; i < RUN; i += 1) if (this.#codes[place + i] !== codes[at + i]) return false;
      return true;
    };
    const left = [];
    for (const place of this.#runs.get(hash) ?? []) {
      if (isMet(place)) this.#quote(place, RUN);
      else left.push(place);
    }
    if (left.length > 0) this.#runs.set(hash, left);
    else if (this.#runs.delete(hash)) this.#count(hash, -1);
  }

  /** A short text is quoted where all of it stands there. */
  #meetWhole(text: string): void {
    if (text.length < SHORTEST_TEXT) return;
    for (let at = this.#text.indexOf(text); at >= 0; at = this.#text.indexOf(text, at + 1)) this.#quote(at, text.length);
  }

  #quote(place: number, length: number): void {
    this.#isQuoted.fill(1, this.#places[place], (this.#places[place + length - 1] ?? 0) + 1);
  }

  #count(hash: number, by: number): void {
    this.#slots[hash >>> 16] = (this.#slots[hash >>> 16] ?? 0) + by;
  }
}
