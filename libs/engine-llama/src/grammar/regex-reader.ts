import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { ServiceError } from '@slipway/contracts';
import { type CharRange, type CharSet, charSet, complement } from './char-set.js';
import { alt, type Expr, repeat, seq } from './gbnf.js';
import { ANY, CLASS_ESCAPES, DOT, inAnyCase, isCaseless } from './regex-classes.js';
import { inJavaScript } from './regex-dialects.js';

const MAX_CHARS = 4_096;
const MAX_DEPTH = 64;
const MAX_COUNT = 1_000_000_000;
/** Supported escapes of characters: by name, by code, and any punctuation. */
const CHAR_ESCAPE = /^\\(?:[tnvfr0b]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|u\{|[^A-Za-z0-9])/;
/** ECMAScript version of Node 20. */
const PARSER = new RegExpParser({ ecmaVersion: 2024 });
const PRIVATE_USE = 0xe000;
const LAST = 0x10ffff;

/** One alternative of a regular expression, and whether it is anchored to the ends of the text. */
export interface RegexBranch {
  /** Sequence of matched expressions. */
  readonly parts: readonly (Expr | Lookahead)[];
  readonly fromStart: boolean;
  readonly toEnd: boolean;
}

/** Lookahead: what follows must, or must not, begin with one of the branches. */
export interface Lookahead {
  readonly kind: 'lookahead';
  readonly negative: boolean;
  readonly branches: readonly RegexBranch[];
}

/**
 * Parses a regular expression into its outermost alternatives.
 * @param char makes the expression for one character out of a set.
 * @throws ServiceError `unsupported_value` naming an unsupported construct.
 */
export const regexBranches = (pattern: string, char: (set: CharSet) => Expr): RegexBranch[] => new RegexReader(pattern, char).branches();

class RegexReader {
  readonly #root: AST.Pattern;
  /** Code points by their placeholder in the parsed source. */
  readonly #replaced = new Map<number, number>();
  readonly #ignoresCase: boolean;
  readonly #dot: CharSet;

  constructor(
    private readonly pattern: string,
    private readonly char: (set: CharSet) => Expr,
  ) {
    if (pattern.length > MAX_CHARS) throw this.#unsupported(`more than ${MAX_CHARS} characters`);
    const { source, flags } = inJavaScript(pattern);
    // The parser recurses for each group.
    if (depthOf(source) > MAX_DEPTH) throw this.#unsupported(`more than ${MAX_DEPTH} groups inside each other`);
    this.#root = this.#parse(source);
    this.#ignoresCase = flags.includes('i');
    this.#dot = flags.includes('s') ? ANY : DOT;
  }

  branches(): RegexBranch[] {
    return this.#root.alternatives.map((alternative) => this.#branch(alternative));
  }

  /** Parses like `regExpOf`: with the flag `u` where valid. */
  #parse(source: string): AST.Pattern {
    for (const unicode of [true, false]) {
      try {
        return PARSER.parsePattern(unicode ? source : this.#withoutCodePoints(source), undefined, undefined, { unicode });
      } catch {
        // Some expressions are only valid without the flag.
      }
    }
    throw this.#unsupported('a spelling that JavaScript does not know');
  }

  /**
   * The source for the parser without the flag `u`, which knows no code points beyond U+FFFF and no `\u{…}`: a free character
   * of private use stands for each of them.
   */
  #withoutCodePoints(source: string): string {
    let free = PRIVATE_USE;
    return source.replaceAll(/\\u\{([0-9A-Fa-f]{1,6})\}|\\[!-~]|[\u{10000}-\u{10ffff}]/gu, (piece, digits?: string) => {
      if (digits === undefined && piece.startsWith('\\')) return piece;
      while (source.includes(String.fromCharCode(free))) free += 1;
      this.#replaced.set(free, digits === undefined ? (piece.codePointAt(0) ?? 0) : Number.parseInt(digits, 16));
      free += 1;
      return String.fromCharCode(free - 1);
    });
  }

  #branch({ elements }: AST.Alternative): RegexBranch {
    const fromStart = isEdge(elements[0], 'start');
    const end = elements.findIndex((element) => isEdge(element, 'end'));
    const next = end < 0 ? undefined : elements[end + 1];
    if (next) throw this.#unsupported(`${JSON.stringify(Array.from(next.raw)[0])} behind "$"`);
    const parts: (Expr | Lookahead)[] = [];
    for (const element of elements.slice(fromStart ? 1 : 0, end < 0 ? undefined : end)) {
      const atStart = fromStart && parts.every(({ kind }) => kind === 'lookahead');
      const isLookahead = element.type === 'Assertion' && element.kind === 'lookahead';
      parts.push(isLookahead ? this.#lookahead(element, atStart) : this.#element(element));
    }
    return { parts, fromStart, toEnd: end >= 0 };
  }

  #lookahead({ negate, alternatives }: AST.LookaheadAssertion, atStart: boolean): Lookahead {
    const branches = alternatives.map((alternative) => this.#branch(alternative));
    if (!atStart && branches.some(({ fromStart }) => fromStart)) throw this.#unsupported('"^" that is not at the beginning');
    return { kind: 'lookahead', negative: negate, branches };
  }

  #element(element: AST.Element): Expr {
    switch (element.type) {
      case 'Character':
        return this.char(this.#inAnyCase(this.#codes(element)));
      case 'CharacterSet':
        return this.char(element.kind === 'any' ? this.#dot : this.#inAnyCase(this.#codes(element)));
      case 'CharacterClass':
        return this.char(this.#class(element));
      case 'Quantifier':
        return this.#counted(element);
      case 'Group':
      case 'CapturingGroup':
        return alt(...element.alternatives.map(({ elements }) => seq(...elements.map((each) => this.#element(each)))));
      case 'Assertion':
        throw this.#unsupported(assertionName(element));
      default:
        throw this.#unsupported(nameOf(element));
    }
  }

  /** Quantifier; lazy and greedy match the same texts. */
  #counted({ element, min, max }: AST.Quantifier): Expr {
    if (min > MAX_COUNT || (max > MAX_COUNT && max !== Number.POSITIVE_INFINITY)) throw this.#unsupported(`a count above ${MAX_COUNT}`);
    return repeat(this.#element(element), min, max === Number.POSITIVE_INFINITY ? null : max);
  }

  #class({ negate, elements }: AST.CharacterClass): CharSet {
    const set = this.#inAnyCase(charSet(...elements.flatMap((element) => this.#codes(element))));
    return negate ? complement(set) : set;
  }

  /** Adds the other case where case is ignored. */
  #inAnyCase(set: CharSet): CharSet {
    if (!this.#ignoresCase) return set;
    const isKnown = [...CLASS_ESCAPES.values()].includes(set) || set.every(isCaseless);
    if (!isKnown) throw this.#unsupported('letters beyond ASCII whose case is ignored');
    return inAnyCase(set);
  }

  /** Characters of a character, range or escape. */
  #codes(element: AST.Character | AST.CharacterSet | AST.CharacterClassElement): CharSet {
    if (element.type === 'Character') return [[this.#code(element), this.#code(element)]];
    if (element.type === 'CharacterClassRange') return [this.#range(element)];
    const known = CLASS_ESCAPES.get(element.raw.slice(1));
    if (!known) throw this.#unsupported(nameOf(element));
    return known;
  }

  #range({ min, max }: AST.CharacterClassRange): CharRange {
    return [this.#code(min), this.#code(max)];
  }

  #code(character: AST.Character): number {
    const { raw, value } = character;
    if (/^\\[xu]$/.test(raw)) throw this.#unsupported(`"${raw}" without its digits`);
    if (raw.startsWith('\\') && !CHAR_ESCAPE.test(raw)) throw this.#unsupported(nameOf(character));
    const code = this.#replaced.get(value) ?? value;
    if (code > LAST || (code >= 0xd800 && code <= 0xdfff)) throw this.#unsupported('halves of surrogate pairs');
    return code;
  }

  #unsupported(what: string): ServiceError {
    const shown = this.pattern.length > 100 ? `${this.pattern.slice(0, 100)}…` : this.pattern;
    return new ServiceError('unsupported_value', `The regular expression ${JSON.stringify(shown)} uses ${what}, which is not supported.`);
  }
}

/** Greatest nesting depth of groups. */
function depthOf(source: string): number {
  let [depth, deepest, inClass] = [0, 0, false];
  for (const [piece] of source.matchAll(/\\[^]|[[\]()]/g)) {
    if (inClass) inClass = piece !== ']';
    else if (piece === '[') inClass = true;
    else if (piece === '(') deepest = Math.max(deepest, (depth += 1));
    else if (piece === ')') depth -= 1;
  }
  return deepest;
}

const isEdge = (element: AST.Element | undefined, kind: 'start' | 'end'): boolean => element?.type === 'Assertion' && element.kind === kind;

/** The first two characters, such as `\1` or `\p`. */
const nameOf = ({ raw }: AST.Node): string => (raw === '\\' ? '"\\c"' : `"${raw.slice(0, 2)}"`);

function assertionName(assertion: AST.Assertion): string {
  if (assertion.kind === 'start') return '"^" that is not at the beginning';
  if (assertion.kind === 'end') return '"$" inside of a group';
  if (assertion.kind === 'word') return nameOf(assertion);
  return assertion.kind === 'lookbehind' ? 'looking behind' : 'looking ahead inside of a group or with a count';
}
