import type { ErrorCode } from '@slipway/contracts';

/** Deeper nesting than any request needs; recursion over parsed values is safe below it. */
export const MAX_DEPTH = 64;
/** More keys than any object of a request has; checking hundreds of thousands of them would stop all streams for seconds. */
const MAX_KEYS = 2_048;
/** Keys that decide what a request costs: two of them could be read differently by two readers. */
const CRITICAL: ReadonlySet<string> = new Set(['model', 'messages', 'stream', 'max_tokens', 'max_completion_tokens']);
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor']);
/** Longer keys cannot be among the above, even with every character escaped. */
const LONGEST_KEY = 6 * 'max_completion_tokens'.length;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** What was seen in a text that a parser's result no longer shows. */
export interface JsonTraits {
  /** A `\u` escape occurs, so a string may hold half a character. */
  readonly escapedUnicode: boolean;
  /** A number with an exponent or very many digits occurs, so a value may be infinite. */
  readonly hugeNumber: boolean;
}

export type GuardVerdict = JsonTraits | { readonly code: ErrorCode; readonly message: string };

/** One walk over the bytes of a JSON text, before it is parsed. It refuses what a parser would accept or choke on. */
export function guardJson(bytes: Uint8Array): GuardVerdict {
  return new Guard(bytes).run();
}

class Guard {
  private at = 0;
  private depth = 0;
  private escapedUnicode = false;
  private hugeNumber = false;
  private digits = 0;
  private readonly seen = new Set<string>();
  /** Keys so far of the object that is open at each depth. */
  private readonly keys = new Uint32Array(MAX_DEPTH + 1);

  constructor(private readonly bytes: Uint8Array) {}

  run(): GuardVerdict {
    const { bytes } = this;
    while (this.at < bytes.length) {
      const byte = bytes[this.at];
      const refusal = byte === QUOTE ? this.text() : this.structure(byte ?? 0);
      if (refusal) return refusal;
      this.at += 1;
    }
    return { escapedUnicode: this.escapedUnicode, hugeNumber: this.hugeNumber };
  }

  private structure(byte: number): GuardVerdict | null {
    if (byte >= 0x30 && byte <= 0x39) {
      this.digits += 1;
      if (this.digits > 300) this.hugeNumber = true;
      return null;
    }
    if (this.digits > 0 && (byte === 0x65 || byte === 0x45)) this.hugeNumber = true;
    this.digits = 0;
    if (byte === COLON) return this.another();
    if (byte === 0x7b || byte === 0x5b) return this.open();
    if (byte === 0x7d || byte === 0x5d) this.depth -= 1;
    return null;
  }

  private open(): GuardVerdict | null {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) return { code: 'json_too_deep', message: `The body is nested deeper than ${MAX_DEPTH} levels.` };
    this.keys[this.depth] = 0;
    return null;
  }

  /** One key more. */
  private another(): GuardVerdict | null {
    const keys = (this.keys[this.depth] ?? 0) + 1;
    this.keys[this.depth] = keys;
    return keys > MAX_KEYS ? { code: 'invalid_json', message: `An object of the body has more than ${MAX_KEYS} keys.` } : null;
  }

  /** Passes over a string, from its opening quote to its closing one; looks closer when it is a key. */
  private text(): GuardVerdict | null {
    const { bytes } = this;
    const start = this.at;
    let escaped = false;
    let i = start + 1;
    while (i < bytes.length && bytes[i] !== QUOTE) {
      if (bytes[i] === BACKSLASH) {
        escaped = true;
        i += 1;
        if (bytes[i] === 0x75) this.escapedUnicode = true;
      }
      i += 1;
    }
    this.digits = 0;
    this.at = i;
    if (i - start > LONGEST_KEY || !this.isKey(i + 1)) return null;
    return this.key(Buffer.from(bytes.buffer, bytes.byteOffset + start, i + 1 - start).toString('utf8'), escaped);
  }

  private isKey(after: number): boolean {
    let i = after;
    while (i < this.bytes.length && (this.bytes[i] ?? 0) <= 0x20) i += 1;
    return this.bytes[i] === COLON;
  }

  private key(quoted: string, escaped: boolean): GuardVerdict | null {
    const key = escaped ? unescape(quoted) : quoted.slice(1, -1);
    if (FORBIDDEN.has(key)) return { code: 'invalid_json', message: `The body may not contain the key "${key}".` };
    if (this.depth !== 1 || !CRITICAL.has(key)) return null;
    if (this.seen.has(key)) return { code: 'invalid_json', message: `The key "${key}" appears more than once.` };
    this.seen.add(key);
    return null;
  }
}

function unescape(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return '';
  }
}
