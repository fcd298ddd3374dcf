import { type Automaton, allOf, combine, ofLength, type State, within } from './automaton.js';
import { automatonOf } from './automaton-builder.js';
import { automatonRules } from './automaton-rules.js';
import type { CharSet } from './char-set.js';
import { chars, type Expr, isNever, NEVER } from './gbnf.js';
import { jsonInteger, jsonNumber } from './json-text.js';
import type { LeftOut } from './left-out.js';
import { integersWithin, limitsOf, numbersWithin } from './number-range.js';
import type { RuleBook } from './rule-book.js';
import { invalidSchema, Merged, type Words } from './schema-words.js';

/** Most remainders of an automaton. */
const MAX_DIVISOR = 1_000;
const MAX_PLACES = 9;
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
const EXACT_CHARS = 15;
const ZERO = 0x30;
const NUMBER_CHARS: CharSet = [
  [0x2d, 0x2e],
  [ZERO, ZERO + 9],
];

/** Compiles the numbers of a schema. Names the assertions that it leaves out. */
export function jsonNumbers(
  book: RuleBook,
  type: 'integer' | 'number',
  words: Words,
  { at, leftOut }: { at: string; leftOut: LeftOut },
): Expr {
  const limits = limitsOf(words, at);
  const divisors = divisorsOf(words, at);
  const range = limits && (type === 'integer' ? integersWithin(limits) : bounded(() => numbersWithin(limits, at)));
  if (limits && !range) for (const word of BOUNDS) if (word in words) leftOut.add(at, word);
  const plain = (): Expr => {
    if (range) return isNever(range) ? NEVER : book.rule(type, range);
    return type === 'integer' ? jsonInteger(book) : jsonNumber(book);
  };
  if (divisors.length === 0) return plain();
  const all = allOf([...(range ? [automatonOf(range)] : []), ...divisors.map((divisor) => multiples(divisor, type))]);
  if (!all || all.states.length === 0) {
    leftOut.add(at, 'multipleOf');
    return plain();
  }
  return automatonRules(book, all, chars) ?? NEVER;
}

/** Null for bounds with too many digits. */
function bounded(make: () => Expr): Expr | null {
  try {
    return make();
  } catch {
    return null;
  }
}

function divisorsOf(words: Words, at: string): readonly number[] {
  const value = words['multipleOf'];
  if (value === undefined) return [];
  const list = value instanceof Merged ? value.values : [value];
  return list.map((divisor) => {
    if (typeof divisor === 'number' && divisor > 0 && Number.isFinite(divisor)) return divisor;
    throw invalidSchema(`The schema's "multipleOf" at ${at} must be a number above 0.`);
  });
}

/** A divisor as an integer multiple of 10^-places; null = too many digits. */
function unitsOf(divisor: number): { readonly units: number; readonly places: number } | null {
  const text = String(divisor);
  if (text.includes('e')) return null;
  const places = text.split('.')[1]?.length ?? 0;
  const units = Number(text.replace('.', ''));
  return places <= MAX_PLACES && units <= MAX_DIVISOR && Number.isSafeInteger(units) ? { units, places } : null;
}

/**
 * Decimals without exponents that are multiples of a number, as `JSON.stringify` writes them; null = too many remainders.
 */
function multiples(divisor: number, type: 'integer' | 'number'): Automaton | null {
  const found = unitsOf(divisor);
  if (!found) return null;
  const { units, places } = found;
  const behind = type === 'integer' ? 0 : places;
  return multiplesOf(units, places, behind);
}

/** States: 0 the start, 1 after the sign, 2 a single zero; then remainders before the point, at it, and per fraction digit. */
function multiplesOf(units: number, places: number, behind: number): Automaton | null {
  const scale = 10 ** places % units;
  const whole = (remainder: number): number => 3 + remainder;
  const placed = (place: number, remainder: number): number => 3 + units * (1 + place) + remainder;
  const digit = (d: number): [[number, number]] => [[ZERO + d, ZERO + d]];
  const digits = (first: number, to: (d: number) => number): State['steps'] =>
    Array.from({ length: 10 - first }, (_, i) => ({ set: digit(first + i), to: to(first + i) }));
  const point = (remainder: number): State['steps'] => (behind > 0 ? [{ set: [[0x2e, 0x2e]], to: placed(0, remainder) }] : []);
  const fits = (remainder: number, rest: number): boolean => (remainder * 10 ** rest) % units === 0;
  const leading = digits(1, (d) => whole(d % units));
  const states: State[] = [
    { accepts: false, steps: [{ set: [[0x2d, 0x2d]], to: 1 }, { set: digit(0), to: 2 }, ...leading] },
    { accepts: false, steps: [...(behind > 0 ? [{ set: digit(0), to: 2 }] : []), ...leading] },
    { accepts: true, steps: point(0) },
  ];
  for (let r = 0; r < units; r += 1) {
    states.push({ accepts: (r * scale) % units === 0, steps: [...digits(0, (d) => whole((r * 10 + d) % units)), ...point(r)] });
  }
  for (let place = 0; place <= behind && behind > 0; place += 1) {
    for (let r = 0; r < units; r += 1) {
      const more = place < behind ? digits(0, (d) => placed(place + 1, (r * 10 + d) % units)) : [];
      states.push({ accepts: place > 0 && fits(r, places - place), steps: more });
    }
  }
  return withinDigits({ states });
}

/** Most characters of a number that keep the automaton small. */
function withinDigits(machine: Automaton): Automaton | null {
  const small = within(machine, NUMBER_CHARS);
  const most = Math.max(4, Math.min(EXACT_CHARS, Math.floor(900 / small.states.length)));
  const lengths = ofLength(NUMBER_CHARS, 1, most);
  return lengths && combine(small, lengths, 'and');
}
