/** Why a text is not accepted as JSON. */
export interface JsonFault {
  readonly rule: 'not_json' | 'duplicate_key' | 'too_deep';
  /** What is wrong, for `not_json`; the key, for `duplicate_key`. */
  readonly what: string;
  /** Index of the first character at fault. */
  readonly at: number;
}

/** A parsed text. */
export interface ExactJson {
  readonly value: unknown;
  /**
   * Compact JSON of those objects and lists that `JSON.stringify` would write differently: numbers such as `1.0` or beyond 2^53, and
   * keys that JavaScript reorders. Absent = `JSON.stringify` is exact.
   */
  readonly texts: ReadonlyMap<object, string>;
}

class Refused extends Error {
  constructor(readonly fault: JsonFault) {
    super(fault.rule);
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// Controls may not stand in a text.
// eslint-disable-next-line no-control-regex
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const SPACE = /[ \t\n\r]*/y;
const HEX = /[0-9a-fA-F]{4}/y;
const INDEX = /^(?:0|[1-9]\d*)$/;
const ESCAPES: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const WORDS: Readonly<Record<string, { text: string; value: unknown }>> = {
  t: { text: 'true', value: true },
  f: { text: 'false', value: false },
  n: { text: 'null', value: null },
};

const nameOf = (char: string | undefined): string => {
  if (char === undefined) return 'the end of the line';
  if (char === '"') return 'a text';
  return /[!-~]/.test(char) ? `"${char}"` : `the character U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
};

/** Strict JSON (RFC 8259) with what `JSON.parse` hides: columns of faults, repeated keys, depth, texts of numbers, order of keys. */
class ExactParser {
  private at = 0;
  private depth = 0;
  readonly texts = new Map<object, string>();

  constructor(
    private readonly text: string,
    private readonly maxDepth: number,
  ) {}

  whole(): unknown {
    const value = this.value().value;
    this.space();
    if (this.at < this.text.length) this.refuse(`${nameOf(this.text[this.at])} after the end of the value`);
    return value;
  }

  /** A value, and its exact text where `JSON.stringify` would write another one. */
  private value(): { value: unknown; exact: string | null } {
    this.space();
    const char = this.text[this.at];
    if (char === '{') return this.object();
    if (char === '[') return this.list();
    if (char === '"') return { value: this.string(), exact: null };
    const word = char === undefined ? undefined : WORDS[char];
    if (word && this.text.startsWith(word.text, this.at)) {
      this.at += word.text.length;
      return { value: word.value, exact: null };
    }
    return this.number();
  }

  private number(): { value: number; exact: string | null } {
    const text = this.match(NUMBER);
    if (text === '') this.refuse(`${nameOf(this.text[this.at])} where a value should be`);
    const value = Number(text);
    return { value, exact: String(value) === text ? null : text };
  }

  private string(): string {
    const start = this.at;
    let out = '';
    this.at += 1;
    for (;;) {
      out += this.match(PLAIN);
      const char = this.text[this.at];
      if (char === '"') break;
      if (char === undefined) this.refuse('a text without its closing quote', start);
      if (char !== '\\') this.refuse(`${nameOf(char)} inside a text, which must be written as an escape`);
      out += this.escape();
    }
    this.at += 1;
    return out;
  }

  private escape(): string {
    const start = this.at;
    const char = this.text[this.at + 1] ?? '';
    this.at += 2;
    const simple = ESCAPES[char];
    if (simple !== undefined) return simple;
    const hex = char === 'u' ? this.match(HEX) : '';
    if (hex === '') this.refuse('an unknown escape', start);
    return String.fromCharCode(Number.parseInt(hex, 16));
  }

  private object(): { value: object; exact: string | null } {
    const entries: [key: string, value: unknown, exact: string | null][] = [];
    const names = new Set<string>();
    let exact = false;
    this.items('}', () => {
      const at = this.at;
      if (this.text[at] !== '"') this.refuse(`${nameOf(this.text[at])} where a name in quotes should be`);
      const key = this.string();
      if (names.has(key)) throw new Refused({ rule: 'duplicate_key', what: key, at });
      names.add(key);
      this.space();
      if (this.text[this.at] !== ':') this.refuse(`${nameOf(this.text[this.at])} where ":" should be`);
      this.at += 1;
      const item = this.value();
      exact ||= item.exact !== null || INDEX.test(key);
      entries.push([key, item.value, item.exact]);
    });
    const value = Object.fromEntries(entries.map(([key, item]) => [key, item]));
    if (!exact) return { value, exact: null };
    const text = `{${entries.map(([key, item, own]) => `${JSON.stringify(key)}:${own ?? JSON.stringify(item)}`).join(',')}}`;
    this.texts.set(value, text);
    return { value, exact: text };
  }

  private list(): { value: object; exact: string | null } {
    const value: unknown[] = [];
    const texts: (string | null)[] = [];
    this.items(']', () => {
      const item = this.value();
      value.push(item.value);
      texts.push(item.exact);
    });
    if (texts.every((own) => own === null)) return { value, exact: null };
    const text = `[${texts.map((own, i) => own ?? JSON.stringify(value[i])).join(',')}]`;
    this.texts.set(value, text);
    return { value, exact: text };
  }

  /** Items between commas up to `close`, the cursor standing on the opening bracket. */
  private items(close: string, item: () => void): void {
    this.depth += 1;
    if (this.depth > this.maxDepth) throw new Refused({ rule: 'too_deep', what: '', at: this.at });
    this.at += 1;
    this.space();
    if (this.text[this.at] !== close) {
      for (;;) {
        item();
        this.space();
        if (this.text[this.at] !== ',') break;
        this.at += 1;
        this.space();
      }
      if (this.text[this.at] !== close) this.refuse(`${nameOf(this.text[this.at])} where "," or "${close}" should be`);
    }
    this.at += 1;
    this.depth -= 1;
  }

  private space(): void {
    SPACE.lastIndex = this.at;
    SPACE.test(this.text);
    this.at = SPACE.lastIndex;
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const text = pattern.exec(this.text)?.[0] ?? '';
    this.at += text.length;
    return text;
  }

  private refuse(what: string, at = this.at): never {
    throw new Refused({ rule: 'not_json', what, at });
  }
}

/** Parses a text; a fault is returned, not thrown. Slower than `JSON.parse` by a factor of about five. */
export function parseExactly(text: string, maxDepth: number): ExactJson | JsonFault {
  const parser = new ExactParser(text, maxDepth);
  try {
    return { value: parser.whole(), texts: parser.texts };
  } catch (error) {
    if (error instanceof Refused) return error.fault;
    throw error;
  }
}
