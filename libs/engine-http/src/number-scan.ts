/** Bytes of JSON that mean something to the scan. */
const [QUOTE, BACKSLASH, COLON, COMMA, ZERO, NINE] = [0x22, 0x5c, 0x3a, 0x2c, 0x30, 0x39] as const;
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const OPENING_BRACE = 0x7b;
/** Bytes that matter where nothing can be wanted: they open, close, quote or escape. */
const STRUCTURAL = new Uint8Array(256);
for (const byte of [...OPENING, ...CLOSING, QUOTE, BACKSLASH]) STRUCTURAL[byte] = 1;
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** What the next byte belongs to: anything but a string, the name of an outer field, another string, the number itself. */
type Place = 'between' | 'name' | 'string' | 'number';

/**
 * Finds one whole number in the bytes of a JSON object as they arrive, by the name of its field, and keeps nothing else: what
 * stands around it may be megabytes, whose parsing takes 30 times their size and seconds of the event loop. The object is not
 * checked beyond what leads to the number.
 */
export class NumberScan {
  readonly #name: Buffer;
  #place: Place = 'between';
  #depth = 0;
  /** Whether a string that begins here names an outer field. */
  #isNameNext = false;
  /** Bytes of the wanted name that were met; -1 = it is another one. */
  #met = -1;
  #isWanted = false;
  #isEscaped = false;
  #digits = 0;
  #number = 0;
  #isOver = false;

  constructor(name: string) {
    this.#name = Buffer.from(name);
  }

  /** Null while it was not met whole, and for good where it is no number that can be a count. */
  get value(): number | null {
    return this.#isOver && this.#digits > 0 && Number.isSafeInteger(this.#number) ? this.#number : null;
  }

  /** @returns whether more bytes could change what is known. */
  feed(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length && !this.#isOver; at += 1) {
      at = this.#depth > 1 && !this.#isEscaped ? skip(bytes, at) : at;
      if (at < bytes.length) this.#take(bytes[at] ?? 0);
    }
    return !this.#isOver;
  }

  #take(byte: number): void {
    if (this.#place === 'between') this.#between(byte);
    else if (this.#place === 'number') this.#inNumber(byte);
    else this.#inString(byte);
  }

  #between(byte: number): void {
    if (isSpace(byte)) return;
    if (this.#isWanted) this.#begin(byte);
    else if (this.#depth === 0 && byte !== OPENING_BRACE) this.#isOver = true;
    else if (byte === QUOTE) this.#open();
    else if (byte === COLON) this.#isWanted = this.#depth === 1 && this.#met === this.#name.length;
    else if (byte === COMMA) this.#isNameNext = this.#depth === 1;
    else if (OPENING.has(byte)) this.#deeper();
    else if (CLOSING.has(byte)) this.#higher();
  }

  #open(): void {
    this.#place = this.#isNameNext ? 'name' : 'string';
    this.#met = this.#isNameNext ? 0 : -1;
    this.#isNameNext = false;
  }

  #deeper(): void {
    this.#depth += 1;
    this.#isNameNext = this.#depth === 1;
  }

  #higher(): void {
    this.#depth -= 1;
    this.#isOver = this.#depth === 0;
  }

  #inString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === QUOTE) this.#place = 'between';
    else {
      this.#isEscaped = byte === BACKSLASH;
      if (this.#place === 'name') this.#met = this.#met >= 0 && this.#name[this.#met] === byte ? this.#met + 1 : -1;
    }
  }

  #begin(byte: number): void {
    this.#place = 'number';
    this.#inNumber(byte);
  }

  #inNumber(byte: number): void {
    if (byte >= ZERO && byte <= NINE) {
      this.#digits += 1;
      this.#number = this.#number * 10 + byte - ZERO;
      return;
    }
    this.#isOver = true;
    if (byte !== COMMA && !CLOSING.has(byte) && !isSpace(byte)) this.#number = Number.NaN;
  }
}

function skip(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && STRUCTURAL[bytes[at] ?? 0] === 0) at += 1;
  return at;
}
