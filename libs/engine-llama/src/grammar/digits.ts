import { alt, chars, EMPTY, type Expr, NEVER, repeat, seq, text } from './gbnf.js';

const ZERO = 0x30;
const digitRange = (from: number, to: number): Expr => chars([[ZERO + from, ZERO + to]]);
const DIGIT = digitRange(0, 9);

/** Bounds that equal the digits so far; null = already inside. */
interface Tight {
  readonly low: string | null;
  readonly high: string | null;
}

/** The remaining bounds after digit `d`; null when `d` violates one. */
function after({ low, high }: Tight, d: number): Tight | null {
  const lowest = low === null ? 0 : Number(low[0] ?? 0);
  const highest = high === null ? 9 : Number(high[0] ?? 0);
  if (d < lowest || d > highest) return null;
  return {
    low: low !== null && d === lowest ? low.slice(1) : null,
    high: high !== null && d === highest ? high.slice(1) : null,
  };
}

/** One digit and its continuations; digits with the same continuation are grouped. */
function nextDigit(tight: Tight, rest: (tight: Tight) => Expr): Expr {
  const options: Expr[] = [];
  for (let d = 0; d <= 9; d += 1) {
    const left = after(tight, d);
    if (left === null) continue;
    let last = d;
    const free = left.low === null && left.high === null;
    while (free && last < 9 && isFree(after(tight, last + 1))) last += 1;
    options.push(seq(digitRange(d, last), rest(left)));
    d = last;
  }
  return alt(...options);
}

const isFree = (tight: Tight | null): boolean => tight !== null && tight.low === null && tight.high === null;

function sameLength(tight: Tight, digits: number): Expr {
  if (digits === 0) return EMPTY;
  if (isFree(tight)) return repeat(DIGIT, digits, digits);
  return nextDigit(tight, (left) => sameLength(left, digits - 1));
}

/** Whole numbers from `low` to `high`, neither negative, without leading zeros. */
export function wholeNumbers(low: bigint, high: bigint): Expr {
  if (low > high) return NEVER;
  const options: Expr[] = [];
  const [shortest, longest] = [String(low).length, String(high).length];
  for (let length = shortest; length <= longest; length += 1) {
    const least = length === 1 ? '0' : `1${'0'.repeat(length - 1)}`;
    const from = length === shortest ? String(low) : least;
    const to = length === longest ? String(high) : '9'.repeat(length);
    options.push(sameLength({ low: from, high: to }, length));
  }
  return alt(...options);
}

/** Fraction digits between two bounds, without trailing zeros; null = no bound. */
export interface FractionBounds extends Tight {
  readonly lowExcluded: boolean;
  readonly highExcluded: boolean;
}

/** An optional fraction of 1 to `digits` digits within the bounds. */
export function fraction(bounds: FractionBounds, digits: number): Expr {
  const { lowExcluded, highExcluded } = bounds;
  const mayEnd = ({ low, high }: Tight): boolean =>
    (low === null || (low === '' && !lowExcluded)) && (high === null || high !== '' || !highExcluded);
  // A lower bound is satisfied once its last digit is equal, unless it is exclusive.
  const loosened = ({ low, high }: Tight): Tight => ({ low: low === '' && !lowExcluded ? null : low, high });
  const tail = (reached: Tight, left: number): Expr => {
    const tight = loosened(reached);
    if (isFree(tight)) return repeat(DIGIT, 0, left);
    const more = left === 0 ? NEVER : nextDigit(tight, (next) => tail(next, left - 1));
    return mayEnd(tight) ? alt(more, EMPTY) : more;
  };
  const start = loosened(bounds);
  const some =
    digits === 0
      ? NEVER
      : seq(
          text('.'),
          nextDigit(start, (next) => tail(next, digits - 1)),
        );
  return mayEnd(start) ? alt(some, EMPTY) : some;
}

/** Any fraction of 1 to `digits` digits, or none. */
export const anyFraction = (digits: number): Expr => fraction({ low: null, high: null, lowExcluded: false, highExcluded: false }, digits);
