import { ServiceError } from '@slipway/contracts';
import { type CharRange, type CharSet, charSet, complement, intersect, TEXT_CHARS } from './char-set.js';
import { EMPTY, type Expr, type Rules } from './gbnf.js';

const MAX_DEPTH = 64;
/** llama.cpp reads larger counts as unbounded. */
const MAX_COUNT = 2_000;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['t', '\t'],
  ['r', '\r'],
  ['n', '\n'],
  ...['\\', '"', '[', ']', '-'].map((char): [string, string] => [char, char]),
]);
const HEX_DIGITS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

/** Parses GBNF like llama.cpp, without tokens in angle brackets. */
export class GbnfReader {
  readonly #rules = new Map<string, Expr>();
  #at = 0;
  #depth = 0;

  constructor(private readonly source: string) {}

  /** @throws ServiceError `invalid_value` naming the line. */
  read(): Rules {
    this.#blank(true);
    while (this.#at < this.source.length) this.#rule();
    return this.#rules;
  }

  #rule(): void {
    const name = this.#word();
    this.#blank(false);
    if (!this.source.startsWith('::=', this.#at)) throw this.#wrong('"::=" is missing');
    this.#at += 3;
    this.#blank(true);
    this.#rules.set(name, this.#choice(false));
    if (this.#at < this.source.length && !/[\r\n]/.test(this.#char())) throw this.#wrong(`${JSON.stringify(this.#char())} is not expected`);
    this.#blank(true);
  }

  #choice(nested: boolean): Expr {
    const options = [this.#sequence(nested)];
    while (this.#char() === '|') {
      this.#at += 1;
      this.#blank(true);
      options.push(this.#sequence(nested));
    }
    return options.length === 1 ? (options[0] ?? EMPTY) : { kind: 'alt', items: options };
  }

  #sequence(nested: boolean): Expr {
    const items: Expr[] = [];
    for (let item = this.#item(nested); item !== null; item = this.#item(nested)) {
      this.#blank(nested);
      items.push(this.#counted(item, nested));
    }
    return { kind: 'seq', items };
  }

  /** The next literal, class, rule or group; null at the end of a sequence. */
  #item(nested: boolean): Expr | null {
    const char = this.#char();
    if (char === '"') return this.#literal();
    if (char === '[') return this.#class();
    if (char === '(') return this.#group();
    if (char === '.') {
      this.#at += 1;
      return { kind: 'chars', set: TEXT_CHARS };
    }
    if (char === '<' || char === '!') throw this.#wrong('tokens in angle brackets are not supported');
    if (/[*+?{]/.test(char)) throw this.#wrong(`nothing stands before ${JSON.stringify(char)}${nested ? ' in a group' : ''}`);
    return /[A-Za-z0-9-]/.test(char) ? { kind: 'rule', name: this.#word() } : null;
  }

  #group(): Expr {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw this.#wrong(`more than ${MAX_DEPTH} groups stand inside each other`);
    this.#at += 1;
    this.#blank(true);
    const inside = this.#choice(true);
    if (this.#char() !== ')') throw this.#wrong('")" is missing');
    this.#at += 1;
    this.#depth -= 1;
    return inside;
  }

  #literal(): Expr {
    this.#at += 1;
    let value = '';
    while (this.#char() !== '"') value += this.#escaped();
    this.#at += 1;
    if (/[\0\p{Surrogate}]/u.test(value)) throw this.#wrong('a literal holds NUL or half of a surrogate pair');
    return { kind: 'text', text: value };
  }

  #class(): Expr {
    this.#at += 1;
    const negated = this.#char() === '^';
    if (negated) this.#at += 1;
    const ranges: CharRange[] = [];
    while (this.#char() !== ']') {
      const from = this.#code();
      const isRange = this.#char() === '-' && this.source[this.#at + 1] !== ']';
      if (isRange) this.#at += 1;
      const to = isRange ? this.#code() : from;
      if (to >= from) ranges.push([from, to]);
    }
    this.#at += 1;
    const listed: CharSet = charSet(...ranges);
    const set = intersect(negated ? complement(listed) : listed, TEXT_CHARS);
    if (ranges.length === 0 || set.length === 0) throw this.#wrong('a class holds no character');
    return { kind: 'chars', set };
  }

  #counted(item: Expr, nested: boolean): Expr {
    let counted = item;
    for (let count = this.#count(nested); count !== null; count = this.#count(nested)) {
      const [min, max] = count;
      if (max !== null && max < min) throw this.#wrong('a count ends below its beginning');
      if (min > MAX_COUNT || (max ?? 0) > MAX_COUNT) throw this.#wrong(`a count is above ${MAX_COUNT}`);
      if (item.kind === 'text' && item.text === '') throw this.#wrong('an empty literal is repeated');
      counted = { kind: 'repeat', item: counted, min, max };
    }
    return counted;
  }

  #count(nested: boolean): [min: number, max: number | null] | null {
    const found = /^(?:[*+?]|\{\s*(\d{1,9})\s*(?:(,)\s*(\d{1,9})?\s*)?\})/.exec(this.source.slice(this.#at, this.#at + 64));
    if (!found) {
      if (this.#char() === '{') throw this.#wrong('a count is wrong');
      return null;
    }
    this.#at += found[0].length;
    this.#blank(nested);
    const [sign, min = '', comma, max] = found;
    if (sign === '*') return [0, null];
    if (sign === '+') return [1, null];
    if (sign === '?') return [0, 1];
    if (comma === undefined) return [Number(min), Number(min)];
    return [Number(min), max === undefined ? null : Number(max)];
  }

  #code(): number {
    return this.#escaped().codePointAt(0) ?? 0;
  }

  #escaped(): string {
    const code = this.source.codePointAt(this.#at);
    if (code === undefined) throw this.#wrong('the end comes too early');
    this.#at += code > 0xffff ? 2 : 1;
    if (code !== 0x5c) return String.fromCodePoint(code);
    const letter = this.#char();
    this.#at += 1;
    const plain = ESCAPES.get(letter);
    if (plain !== undefined) return plain;
    const digits = HEX_DIGITS.get(letter);
    const hex = this.source.slice(this.#at, this.#at + (digits ?? 0));
    const value = Number.parseInt(hex, 16);
    if (digits === undefined || hex.length !== digits || !/^[0-9a-fA-F]+$/.test(hex) || value > 0x10ffff)
      throw this.#wrong('an escape is not known');
    this.#at += digits;
    return String.fromCodePoint(value);
  }

  #word(): string {
    const found = /^[A-Za-z0-9-]+/.exec(this.source.slice(this.#at, this.#at + 1_000))?.[0];
    if (found === undefined) throw this.#wrong('the name of a rule is missing');
    this.#at += found.length;
    return found;
  }

  #blank(newlines: boolean): void {
    const space = newlines ? /[ \t\r\n]/ : /[ \t]/;
    while (space.test(this.#char()) || this.#char() === '#') {
      if (this.#char() === '#') while (this.#char() !== '' && !/[\r\n]/.test(this.#char())) this.#at += 1;
      else this.#at += 1;
    }
  }

  #char(): string {
    return this.source[this.#at] ?? '';
  }

  #wrong(what: string): ServiceError {
    const line = this.source.slice(0, this.#at).split('\n').length;
    return new ServiceError('invalid_value', `The grammar is not GBNF: in line ${line}, ${what}.`);
  }
}
