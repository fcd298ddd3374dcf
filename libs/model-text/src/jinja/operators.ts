import { escapeHtml } from './filters.js';
import { percentText } from './text-format.js';
import { contains } from './text-methods.js';
import {
  compare,
  float,
  isEqual,
  isFloat,
  isText,
  Markup,
  numberOf,
  TemplateError,
  textOf,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from './values.js';

/** An operator between two values; `and` and `or` are none of these, since they may leave the second one out. */
export type Operator = (left: Value, right: Value) => Value;

function unsupported(operator: string, left: Value, right: Value): never {
  for (const each of [left, right]) if (each instanceof Undefined) each.refuse();
  throw new TemplateError(`unsupported operand types for ${operator}: '${typeName(left)}' and '${typeName(right)}'`);
}

const arithmetic =
  (operator: string, of: (a: number, b: number) => number, makesFloat = false): Operator =>
  (left, right) => {
    const [a, b] = [numberOf(left), numberOf(right)];
    if (a === null || b === null) return unsupported(operator, left, right);
    const result = of(a, b);
    return makesFloat || isFloat(left) || isFloat(right) ? float(result) : result;
  };

function nonZero(divisor: number): number {
  if (divisor === 0) throw new TemplateError('division by zero');
  return divisor;
}

const sum = arithmetic('+', (a, b) => a + b);
const product = arithmetic('*', (a, b) => a * b);
const rest = arithmetic('%', (a, b) => a - Math.floor(a / nonZero(b)) * b);
const power = arithmetic('**', (a, b) => a ** b);

function add(left: Value, right: Value): Value {
  if (left instanceof Markup || right instanceof Markup) {
    if (isText(left) && isText(right)) return new Markup(escapeHtml(left).text + escapeHtml(right).text);
  } else if (typeof left === 'string' && typeof right === 'string') {
    return left + right;
  }
  if (Array.isArray(left) && Array.isArray(right) && left instanceof Tuple === right instanceof Tuple) {
    return left instanceof Tuple ? (Tuple.from([...left, ...right]) as Tuple) : [...left, ...right];
  }
  return sum(left, right);
}

/** Bounds products of texts and lists, as Jinja2's sandbox bounds ranges. */
const MOST_COPIES = 100_000;

function multiply(left: Value, right: Value): Value {
  const [times, series] = isText(left) || Array.isArray(left) ? [numberOf(right), left] : [numberOf(left), right];
  if (!isText(series) && !Array.isArray(series)) return product(left, right);
  if (times === null || !Number.isInteger(times)) return unsupported('*', left, right);
  if (times * (isText(series) ? textOf(series) : series).length > MOST_COPIES) throw new TemplateError('The product is too long');
  if (isText(series)) return textOf(series).repeat(Math.max(0, times));
  return Array.from({ length: Math.max(0, times) }, () => series).flat();
}

const ordered =
  (test: (order: number) => boolean): Operator =>
  (left, right) =>
    test(compare(left, right));

/** The operators, by their signs. */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  '+': add,
  '-': arithmetic('-', (a, b) => a - b),
  '*': multiply,
  '/': arithmetic('/', (a, b) => a / nonZero(b), true),
  '//': arithmetic('//', (a, b) => Math.floor(a / nonZero(b))),
  '%': (left, right) => (isText(left) ? percentText(textOf(left), right) : rest(left, right)),
  '**': (left, right) => ((numberOf(right) ?? 0) < 0 ? float(numberOf(power(left, right)) ?? 0) : power(left, right)),
  '~': (left, right) => textOf(left) + textOf(right),
  '==': isEqual,
  '!=': (left, right) => !isEqual(left, right),
  '<': ordered((order) => order < 0),
  '<=': ordered((order) => order <= 0),
  '>': ordered((order) => order > 0),
  '>=': ordered((order) => order >= 0),
  in: (left, right) => contains(right, left),
  'not in': (left, right) => !contains(right, left),
};

/** `-value` and `+value` */
export function signed(sign: string, value: Value): Value {
  const number = numberOf(value);
  if (number === null) return unsupported(`unary ${sign}`, value, value);
  const result = sign === '-' ? 0 - number : number;
  return isFloat(value) ? float(result) : result;
}
