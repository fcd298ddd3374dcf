/** What a scan found in a line of JSON. Bits of `JsonScan.found`. */
export const FOUND = {
  /** A backslash inside a string. */
  escape: 1,
  /** An escape that can hide any character: `\u`, `\/`, `\b`, `\f`. */
  hidden: 2,
  /** A byte above 0x7E. */
  nonAscii: 4,
  /** What `JSON.parse` would change or not report: a repeated key, a number whose text it does not keep, keys that it would reorder. */
  unfaithful: 8,
  /** Deeper than allowed. */
  tooDeep: 16,
  /** Two bytes that the beginnings of credentials have and few words. */
  secret: 32,
} as const;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const KEYS_COMPARED = 24;
const DIGITS_KEPT = 15;

/** What credentials begin with, up to the first of the bytes `-`, `_`, `I`, `J`: the scan looks at pairs that end with these. */
const SECRET_BEGINNINGS =
  'svc_ -- sk- AKI ASI AI ghp_ gho_ ghs_ ghu_ ghr_ github_ glpat- hf_ xoxa- xoxb- xoxe- xoxp- xoxr- xoxs- rk_ sk_ eyJ';
const PAIRS = new Uint8Array(0x1_0000);
for (const text of SECRET_BEGINNINGS.split(' ')) PAIRS[(text.charCodeAt(text.length - 2) << 8) | text.charCodeAt(text.length - 1)] = 1;
const ENDS_PAIR = new Set(Buffer.from('-_IJ'));

/** 1 = goes on in a string, 0 = to be looked at. */
const PLAIN_IN_STRING = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte < 0x7f && byte !== QUOTE && byte !== BACKSLASH && !ENDS_PAIR.has(byte) ? 1 : 0,
);

const NUMBER_BYTES = new Set(Buffer.from('0123456789+-.eE'));
const IN_NUMBER = Uint8Array.from({ length: 256 }, (_, byte) => (NUMBER_BYTES.has(byte) ? 1 : 0));

/** Kinds of bytes outside of strings. */
const OTHER = 0;
const OPEN = 1;
const CLOSE = 2;
const STRING = 3;
const COLON = 4;
const NUMBER = 5;
const NON_ASCII = 6;
const KIND = new Uint8Array(256).fill(NON_ASCII, 0x7f);
for (const byte of Buffer.from('{[')) KIND[byte] = OPEN;
for (const byte of Buffer.from('}]')) KIND[byte] = CLOSE;
for (const byte of Buffer.from('-0123456789')) KIND[byte] = NUMBER;
KIND[QUOTE] = STRING;
KIND[0x3a] = COLON;

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

/**
 * One pass over a line of JSON, before `JSON.parse`: finds what that does not report. It checks no grammar; on what is no JSON its
 * findings mean nothing. It may find `unfaithful` where nothing is, never the other way: `parseExactly` decides.
 */
export class JsonScan {
  found = 0;
  private depth = 0;
  /** Hashes of the keys of all open objects, and where those of each level begin. */
  private readonly keys = new Int32Array(4_096);
  private keyCount = 0;
  private readonly bases: Int32Array;

  constructor(private readonly maxDepth: number) {
    this.bases = new Int32Array(maxDepth + 2);
  }

  /** Scans `bytes` from `start` to `end` and sets `found`. */
  scan(bytes: Uint8Array, start: number, end: number): number {
    this.found = 0;
    this.depth = 0;
    this.keyCount = 0;
    let keyStart = start;
    let keyEnd = start;
    for (let i = start; i < end; i += 1) {
      const kind = KIND[bytes[i] as number];
      if (kind === OTHER) continue;
      if (kind === STRING) {
        keyStart = i + 1;
        i = this.stringEnd(bytes, keyStart, end);
        keyEnd = i;
      } else if (kind === COLON) this.key(bytes, keyStart, keyEnd);
      else if (kind === NUMBER) i = this.numberEnd(bytes, i, end) - 1;
      else if (kind === OPEN) this.open();
      else if (kind === CLOSE) this.close();
      else this.found |= FOUND.nonAscii;
      if (this.found & FOUND.tooDeep) return this.found;
    }
    return this.found;
  }

  private stringEnd(bytes: Uint8Array, start: number, end: number): number {
    let i = start;
    while (i < end) {
      while (PLAIN_IN_STRING[bytes[i] as number] === 1) i += 1;
      const byte = bytes[i] as number;
      if (byte === QUOTE) return i;
      if (byte === BACKSLASH) {
        const next = bytes[i + 1] as number;
        this.found |= next === 0x75 || next === 0x2f || next === 0x62 || next === 0x66 ? FOUND.escape | FOUND.hidden : FOUND.escape;
        i += 2;
      } else {
        if (byte >= 0x7f) this.found |= FOUND.nonAscii;
        else if (PAIRS[((bytes[i - 1] as number) << 8) | byte] === 1) this.found |= FOUND.secret;
        i += 1;
      }
    }
    return end;
  }

  private numberEnd(bytes: Uint8Array, start: number, end: number): number {
    let i = start;
    let digits = true;
    while (i < end && IN_NUMBER[bytes[i] as number] === 1) {
      if (!isDigit(bytes[i] as number)) digits = false;
      i += 1;
    }
    if (!digits || i - start > DIGITS_KEPT) {
      let text = '';
      for (let k = start; k < i && k < start + 40; k += 1) text += String.fromCharCode(bytes[k] as number);
      if (i - start > 40 || String(Number(text)) !== text) this.found |= FOUND.unfaithful;
    }
    return i;
  }

  private open(): void {
    this.depth += 1;
    if (this.depth > this.maxDepth) this.found |= FOUND.tooDeep;
    else this.bases[this.depth] = this.keyCount;
  }

  private close(): void {
    if (this.depth === 0) return;
    this.keyCount = this.bases[this.depth] as number;
    this.depth -= 1;
  }

  private key(bytes: Uint8Array, start: number, end: number): void {
    if (this.depth === 0) return;
    let hash = 0;
    for (let i = start; i < end; i += 1) hash = (Math.imul(hash, 31) + (bytes[i] as number)) | 0;
    const base = this.bases[this.depth] as number;
    const isIndex = isDigit(bytes[start] as number) && end > start;
    // An escape in a key can hide an equal name; many keys are compared by the exact parser, in linear time.
    if (isIndex || this.keyCount - base >= KEYS_COMPARED || this.keyCount === this.keys.length) this.found |= FOUND.unfaithful;
    else {
      for (let i = base; i < this.keyCount; i += 1) if (this.keys[i] === hash) this.found |= FOUND.unfaithful;
      this.keys[this.keyCount] = hash;
      this.keyCount += 1;
    }
    for (let i = start; i < end; i += 1) if (bytes[i] === BACKSLASH) this.found |= FOUND.unfaithful;
  }
}
