import { ServiceError } from '@slipway/contracts';
import { type CharRange, type CharSet, charSet, complement } from './char-set.js';
import { alt, type Expr, repeat, seq } from './gbnf.js';
import { ANY, CLASS_ESCAPES, DOT, inAnyCase, isCaseless, LETTER_ESCAPES } from './regex-classes.js';
import { inJavaScript, regExpOf } from './regex-dialects.js';

const MAX_CHARS = 4_096;
const MAX_DEPTH = 64;
const MAX_COUNT = 1_000_000_000;

/** One way through a regular expression, and whether it is held to the ends of the text. */
export interface RegexBranch {
  /** What it matches, one after the other. */
  readonly parts: readonly (Expr | Look)[];
  readonly fromStart: boolean;
  readonly toEnd: boolean;
}

/** A look ahead: what follows must begin with one of the branches, or must not. */
export interface Look {
  readonly kind: 'look';
  readonly negative: boolean;
  readonly branches: readonly RegexBranch[];
}

/** Reads one regular expression; `char` makes the expression for one character out of a set. */
export class RegexReader {
  readonly #chars: readonly string[];
  readonly #ignoresCase: boolean;
  readonly #dot: CharSet;
  #at = 0;
  #depth = 0;

  constructor(
    private readonly pattern: string,
    private readonly char: (set: CharSet) => Expr,
  ) {
    if (pattern.length > MAX_CHARS) throw this.#unsupported(`more than ${MAX_CHARS} characters`);
    if (!regExpOf(pattern)) throw this.#unsupported('a spelling that JavaScript does not know');
    const { source, flags } = inJavaScript(pattern);
    this.#ignoresCase = flags.includes('i');
    this.#dot = flags.includes('s') ? ANY : DOT;
    this.#chars = Array.from(source);
  }

  /** The branches between the outermost `|`. */
  branches(): RegexBranch[] {
    const result = [this.#branch()];
    while (this.#take('|')) result.push(this.#branch());
    return result;
  }

  /** @param inside whether it stands in a look ahead. */
  #branch(inside = false): RegexBranch {
    const fromStart = this.#take('^');
    const parts: (Expr | Look)[] = [];
    while (!this.#branchEnds()) {
      const look = this.#look(fromStart && parts.every(({ kind }) => kind === 'look'));
      parts.push(look ?? this.#counted(this.#atom()));
    }
    const toEnd = this.#take('$');
    const next = this.#peek();
    if (next !== undefined && next !== '|' && !(inside && next === ')')) throw this.#unsupported(`${JSON.stringify(next)} behind "$"`);
    return { parts, fromStart, toEnd };
  }

  #branchEnds(): boolean {
    const next = this.#peek();
    return next === undefined || next === '|' || next === ')' || next === '$';
  }

  /** A look ahead between the outermost parts; null = something else comes next. */
  #look(atStart: boolean): Look | null {
    const sign = this.#chars.slice(this.#at, this.#at + 3).join('');
    if (sign !== '(?=' && sign !== '(?!') return null;
    this.#at += 3;
    this.#enter();
    const branches = [this.#branch(true)];
    while (this.#take('|')) branches.push(this.#branch(true));
    if (!atStart && branches.some(({ fromStart }) => fromStart)) throw this.#unsupported('"^" that is not at the beginning');
    this.#next();
    this.#depth -= 1;
    return { kind: 'look', negative: sign === '(?!', branches };
  }

  #enter(): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw this.#unsupported(`more than ${MAX_DEPTH} groups inside each other`);
  }

  #sequence(): Expr {
    const items: Expr[] = [];
    while (!this.#branchEnds()) items.push(this.#counted(this.#atom()));
    return seq(...items);
  }

  #atom(): Expr {
    const next = this.#next();
    if (next === '(') return this.#group();
    if (next === '[') return this.char(this.#class());
    if (next === '.') return this.char(this.#dot);
    if (next === '^') throw this.#unsupported('"^" that is not at the beginning');
    return this.char(this.#inAnyCase(next === '\\' ? this.#escape() : single(next)));
  }

  #group(): Expr {
    this.#enter();
    if (this.#take('?') && !this.#take(':')) this.#groupName();
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    if (this.#peek() === '$') throw this.#unsupported('"$" inside of a group');
    this.#next();
    this.#depth -= 1;
    return alt(...options);
  }

  #groupName(): void {
    const [angle, sign] = [this.#next(), this.#peek()];
    if (angle !== '<' || sign === '=' || sign === '!') throw this.#unsupported('looking ahead or behind, or flags in a group');
    while (this.#next() !== '>');
  }

  #counted(item: Expr): Expr {
    const count = this.#count();
    if (count === null) return item;
    const [min, max] = count;
    if (max !== null && min > max) throw this.#unsupported('a count whose ends are out of order');
    if (min > MAX_COUNT || (max ?? 0) > MAX_COUNT) throw this.#unsupported(`a count above ${MAX_COUNT}`);
    // Lazy or greedy: the same texts match.
    this.#take('?');
    return repeat(item, min, max);
  }

  #count(): [min: number, max: number | null] | null {
    if (this.#take('*')) return [0, null];
    if (this.#take('+')) return [1, null];
    if (this.#take('?')) return [0, 1];
    const braces = /^\{(\d+)(,(\d*))?\}/.exec(this.#chars.slice(this.#at, this.#at + 40).join(''));
    if (!braces) return null;
    this.#at += braces[0].length;
    const min = Number(braces[1]);
    const end = braces[3];
    if (braces[2] === undefined) return [min, min];
    return [min, end ? Number(end) : null];
  }

  #class(): CharSet {
    const negated = this.#take('^');
    const ranges: CharRange[] = [];
    while (!this.#take(']')) {
      const from = this.#classItem();
      const isRange = this.#peek() === '-' && this.#chars[this.#at + 1] !== ']' && this.#at + 1 < this.#chars.length;
      if (!isRange) {
        ranges.push(...from);
        continue;
      }
      this.#next();
      const to = this.#classItem();
      const [first, last] = [onlyCode(from), onlyCode(to)];
      if (first === null || last === null || first > last) throw this.#unsupported('a range of that form in a class');
      ranges.push([first, last]);
    }
    const set = this.#inAnyCase(charSet(...ranges));
    return negated ? complement(set) : set;
  }

  /** With the letters of the other case, where case is ignored. */
  #inAnyCase(set: CharSet): CharSet {
    if (!this.#ignoresCase) return set;
    const isKnown = [...CLASS_ESCAPES.values()].includes(set) || set.every(isCaseless);
    if (!isKnown) throw this.#unsupported('letters beyond ASCII whose case is ignored');
    return inAnyCase(set);
  }

  #classItem(): CharSet {
    const next = this.#next();
    if (next !== '\\') return single(next);
    if (this.#take('b')) return [[0x08, 0x08]];
    return this.#escape();
  }

  #escape(): CharSet {
    const letter = this.#next();
    const known = CLASS_ESCAPES.get(letter);
    if (known) return known;
    const code = LETTER_ESCAPES.get(letter) ?? this.#codeEscape(letter);
    if (code !== null) return [[code, code]];
    if (/[A-Za-z0-9]/.test(letter)) throw this.#unsupported(`"\\${letter}"`);
    return single(letter);
  }

  #codeEscape(letter: string): number | null {
    const rest = this.#chars.slice(this.#at, this.#at + 12).join('');
    const form = letter === 'x' ? /^([0-9a-f]{2})/i : /^(?:([0-9a-f]{4})|\{([0-9a-f]{1,6})\})/i;
    if (letter !== 'x' && letter !== 'u') return null;
    const found = form.exec(rest);
    if (!found) throw this.#unsupported(`"\\${letter}" without its digits`);
    this.#at += found[0].length;
    const code = Number.parseInt(found[1] ?? found[2] ?? '', 16);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw this.#unsupported('halves of surrogate pairs');
    return code;
  }

  #peek(): string | undefined {
    return this.#chars[this.#at];
  }

  #next(): string {
    const char = this.#chars[this.#at];
    if (char === undefined) throw this.#unsupported('an end in the middle');
    this.#at += 1;
    return char;
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.#at += 1;
    return true;
  }

  #unsupported(what: string): ServiceError {
    const shown = this.pattern.length > 100 ? `${this.pattern.slice(0, 100)}…` : this.pattern;
    return new ServiceError('unsupported_value', `The regular expression ${JSON.stringify(shown)} uses ${what}, which is not supported.`);
  }
}

const single = (char: string): CharSet => {
  const code = char.codePointAt(0) ?? 0;
  return [[code, code]];
};

function onlyCode(set: CharSet): number | null {
  const [range, ...others] = set;
  return range !== undefined && others.length === 0 && range[0] === range[1] ? range[0] : null;
}
