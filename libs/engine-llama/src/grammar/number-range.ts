import { anyFraction, fraction, wholeNumbers } from './digits.js';
import { alt, type Expr, NEVER, seq, text } from './gbnf.js';
import { INTEGER_DIGITS } from './json-text.js';
import { numberOf, unsupportedSchema, type Words } from './schema-words.js';

/** Most digits with which different decimals are different doubles. */
const EXACT_DIGITS = 15;
const LAST_INTEGER = 10n ** BigInt(INTEGER_DIGITS) - 1n;
const LAST_WHOLE = 10n ** BigInt(EXACT_DIGITS) - 1n;

interface Limit {
  readonly value: number;
  readonly excluded: boolean;
}

interface Limits {
  readonly low: Limit | null;
  readonly high: Limit | null;
}

const WORDS = ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum'];

function stricter(plain: number | undefined, exclusive: number | undefined, sign: 1 | -1): Limit | null {
  const excludes = exclusive !== undefined && (plain === undefined || sign * exclusive >= sign * plain);
  if (excludes) return { value: exclusive, excluded: true };
  return plain === undefined ? null : { value: plain, excluded: false };
}

/** The bounds of numbers in a schema; null = none. @throws ServiceError when one is not a number. */
export function limitsOf(words: Words, at: string): Limits | null {
  if (!WORDS.some((word) => words[word] !== undefined)) return null;
  return {
    low: stricter(numberOf(words, 'minimum', at), numberOf(words, 'exclusiveMinimum', at), 1),
    high: stricter(numberOf(words, 'maximum', at), numberOf(words, 'exclusiveMaximum', at), -1),
  };
}

/** Whether a number is within bounds. */
export const isWithin = (value: number, { low, high }: Limits): boolean =>
  (low === null || value > low.value || (value === low.value && !low.excluded)) &&
  (high === null || value < high.value || (value === high.value && !high.excluded));

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const most = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** Integers within bounds, of at most 18 digits. */
export function integersWithin({ low, high }: Limits): Expr {
  const above = low && (low.excluded ? BigInt(Math.floor(low.value)) + 1n : BigInt(Math.ceil(low.value)));
  const below = high && (high.excluded ? BigInt(Math.ceil(high.value)) - 1n : BigInt(Math.floor(high.value)));
  const from = most(above ?? -LAST_INTEGER, -LAST_INTEGER);
  const to = least(below ?? LAST_INTEGER, LAST_INTEGER);
  const negative = from < 0n ? seq(text('-'), wholeNumbers(most(-to, 1n), -from)) : NEVER;
  return alt(to >= 0n ? wholeNumbers(most(from, 0n), to) : NEVER, negative);
}

/** A non-negative decimal, and whether the bound is inclusive. */
interface Decimal {
  readonly whole: bigint;
  /** Fraction digits, without trailing zeros. */
  readonly fraction: string;
  readonly excluded: boolean;
}

const ZERO: Decimal = { whole: 0n, fraction: '', excluded: false };

function decimalOf({ value, excluded }: Limit): Decimal {
  const [digits = '0', power = '0'] = String(Math.abs(value)).split('e');
  const [whole = '0', behind = ''] = digits.split('.');
  const shift = Number(power);
  const all = shift < 0 ? '0'.repeat(-shift) + whole + behind : whole + behind.padEnd(shift, '0');
  const point = shift < 0 ? whole.length : whole.length + shift;
  return { whole: BigInt(all.slice(0, point)), fraction: all.slice(point).replace(/0+$/, ''), excluded };
}

interface Piece {
  readonly low: Decimal | null;
  readonly high: Decimal | null;
  /** Most fraction digits. */
  readonly places: number;
}

/** A whole part that equals one or both bounds, and its allowed fractions. */
const atBound = (whole: bigint, { low, high, places }: Piece): Expr => {
  const bounds = {
    low: low?.fraction ?? null,
    high: high?.fraction ?? null,
    lowExcluded: low?.excluded ?? false,
    highExcluded: high?.excluded ?? false,
  };
  return seq(text(String(whole)), fraction(bounds, places));
};

/** Decimals from `low` to `high`, without signs; null = unbounded. */
function decimals(low: Decimal, high: Decimal | null, at: string): Expr {
  const most = high ?? ZERO;
  const places = EXACT_DIGITS - Math.max(String(low.whole).length, String(most.whole).length);
  if (places < Math.max(low.fraction.length, most.fraction.length)) {
    throw unsupportedSchema(`The schema's bounds at ${at} have more than ${EXACT_DIGITS} digits, which is not supported for numbers.`);
  }
  if (!high) return alt(atBound(low.whole, { low, high, places }), seq(wholeNumbers(low.whole + 1n, LAST_WHOLE), anyFraction(places)));
  if (high.whole < low.whole) return NEVER;
  if (high.whole === low.whole) return atBound(low.whole, { low, high, places });
  return alt(
    atBound(low.whole, { low, high: null, places }),
    seq(wholeNumbers(low.whole + 1n, high.whole - 1n), anyFraction(places)),
    atBound(high.whole, { low: null, high, places }),
  );
}

/**
 * Numbers within bounds: decimals of at most 15 digits without exponents, so that their doubles are within the bounds too.
 * @throws ServiceError for bounds with more digits.
 */
export function numbersWithin({ low, high }: Limits, at: string): Expr {
  return alt(notNegative(low, high, at), negative(low, high, at));
}

function notNegative(low: Limit | null, high: Limit | null, at: string): Expr {
  if (high !== null && (high.value < 0 || (high.value === 0 && high.excluded))) return NEVER;
  const from = low !== null && low.value >= 0 ? decimalOf(low) : ZERO;
  return decimals(from, high && decimalOf(high), at);
}

function negative(low: Limit | null, high: Limit | null, at: string): Expr {
  if (low !== null && low.value >= 0) return NEVER;
  const nearest = high !== null && high.value <= 0 ? decimalOf(high) : { ...ZERO, excluded: true };
  return seq(text('-'), decimals(nearest, low && decimalOf(low), at));
}
