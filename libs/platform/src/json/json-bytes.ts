/**
 * Characters that are written out together at most. V8 places strings of 128 KiB and more in pages of their own, which the system
 * hands out, empty, and takes back each time: for the JSON of a large value twice, as a whole and in pieces.
 */
const PIECE_CHARS = 32 * 1024;
/** Characters that an object, a list or a value of another kind counts as. */
const VALUE_CHARS = 16;
/** UTF-8 of one UTF-16 code unit, at most, in bytes. */
const BYTES_PER_CHAR = 3;
/** Memory beyond the JSON that is kept, as a part of it. */
const SPARE_SHARE = 1 / 8;

/**
 * The JSON of a value in UTF-8, as `JSON.stringify` writes it, without making a long string on the way.
 * @param value plain: lists, objects, texts, numbers, booleans and null; members of objects may be undefined
 * @param expectedBytes its length, roughly
 * @returns the JSON at the beginning of a buffer of its own, which a thread can hand over
 */
export function jsonBytes(value: object, expectedBytes: number): Uint8Array<ArrayBuffer> {
  const output = new Output(expectedBytes);
  writeValue(output, value);
  return output.bytes();
}

class Output {
  #buffer: Buffer<ArrayBuffer>;
  #length = 0;

  constructor(bytes: number) {
    this.#buffer = Buffer.allocUnsafeSlow(Math.max(PIECE_CHARS, bytes + BYTES_PER_CHAR * VALUE_CHARS));
  }

  write(text: string): void {
    if (text.length * BYTES_PER_CHAR > this.#buffer.length - this.#length) this.#makeRoom(Buffer.byteLength(text));
    this.#length += this.#buffer.write(text, this.#length);
  }

  bytes(): Uint8Array<ArrayBuffer> {
    const isTight = this.#length >= this.#buffer.length * (1 - SPARE_SHARE);
    return isTight ? this.#buffer.subarray(0, this.#length) : new Uint8Array(this.#buffer.subarray(0, this.#length));
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.ceil(this.#buffer.length * 1.5)));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

function writeValue(output: Output, value: unknown): void {
  if (charsOf(value) <= PIECE_CHARS) output.write(JSON.stringify(value));
  else if (typeof value === 'string') writeText(output, value);
  else if (Array.isArray(value)) writeList(output, value);
  else writeObject(output, value as object);
}

/** How many characters a value holds, roughly; beyond one piece no more than that it is beyond. */
function charsOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  let chars = VALUE_CHARS;
  if (typeof value !== 'object' || value === null) return chars;
  for (const name in value) {
    chars += name.length + charsOf((value as Readonly<Record<string, unknown>>)[name]);
    if (chars > PIECE_CHARS) break;
  }
  return chars;
}

function writeText(output: Output, text: string): void {
  output.write('"');
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + PIECE_CHARS, text.length);
    // A pair of surrogates stays together: each alone would be escaped.
    if (isLowSurrogate(text.charCodeAt(to))) to += 1;
    const piece = text.slice(from, to);
    output.write(isPlain(piece) ? piece : JSON.stringify(piece).slice(1, -1));
    from = to;
  }
  output.write('"');
}

/** ASCII that JSON does not escape. */
const PLAIN = /[ !#-[\]-~]*/y;

/** Whether a text is its own JSON, such as base64 is: three times as fast as writing it out. */
function isPlain(text: string): boolean {
  PLAIN.lastIndex = 0;
  PLAIN.test(text);
  return PLAIN.lastIndex === text.length;
}

/** Not for the end of a text, where the code is NaN. */
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** Short entries are written out together. */
function writeList(output: Output, list: readonly unknown[]): void {
  output.write('[');
  for (let from = 0; from < list.length;) {
    const to = endOfPiece(list, from);
    if (from > 0) output.write(',');
    if (to === from + 1) writeValue(output, list[from] ?? null);
    else output.write(JSON.stringify(list.slice(from, to)).slice(1, -1));
    from = to;
  }
  output.write(']');
}

/** Where the entries end that fit into one piece, after at least one. */
function endOfPiece(list: readonly unknown[], from: number): number {
  let chars = charsOf(list[from]);
  for (let to = from + 1; to < list.length; to += 1) {
    chars += charsOf(list[to]);
    if (chars > PIECE_CHARS) return to;
  }
  return list.length;
}

function writeObject(output: Output, object: object): void {
  let before = '{';
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    output.write(`${before}${JSON.stringify(name)}:`);
    writeValue(output, value);
    before = ',';
  }
  output.write('}');
}
