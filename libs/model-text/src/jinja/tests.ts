import { contains } from './text-methods.js';
import {
  Callable,
  compare,
  isDict,
  isEqual,
  isFloat,
  isText,
  Lazy,
  Markup,
  numberOf,
  TemplateError,
  textOf,
  Undefined,
  type Value,
  View,
} from './values.js';

/** A test such as `is defined`. */
export type Test = (value: Value, ...args: Value[]) => boolean;

const isInteger = (value: Value): boolean => typeof value === 'number' && Number.isInteger(value);
const isNumber = (value: Value): boolean => typeof value === 'boolean' || numberOf(value) !== null;

function remainder(value: Value, by: Value): number {
  const [number, divisor] = [numberOf(value), numberOf(by)];
  if (number === null || divisor === null) throw new TemplateError('This test takes numbers only');
  return number % divisor;
}

const less =
  (test: (order: number) => boolean): Test =>
  (value, other = null) =>
    test(compare(value, other));

const equal: Test = (value, other = null) => isEqual(value, other);
const unequal: Test = (value, other = null) => !isEqual(value, other);

/** Jinja2's tests, by name. */
const TESTS: Readonly<Record<string, Test>> = {
  boolean: (value) => typeof value === 'boolean',
  callable: (value) => value instanceof Callable,
  defined: (value) => !(value instanceof Undefined),
  undefined: (value) => value instanceof Undefined,
  divisibleby: (value, by = null) => remainder(value, by) === 0,
  eq: equal,
  equalto: equal,
  '==': equal,
  ne: unequal,
  '!=': unequal,
  lt: less((order) => order < 0),
  lessthan: less((order) => order < 0),
  '<': less((order) => order < 0),
  le: less((order) => order <= 0),
  '<=': less((order) => order <= 0),
  gt: less((order) => order > 0),
  greaterthan: less((order) => order > 0),
  '>': less((order) => order > 0),
  ge: less((order) => order >= 0),
  '>=': less((order) => order >= 0),
  escaped: (value) => value instanceof Markup,
  even: (value) => remainder(value, 2) === 0,
  odd: (value) => Math.abs(remainder(value, 2)) === 1,
  false: (value) => value === false,
  true: (value) => value === true,
  float: isFloat,
  integer: isInteger,
  number: isNumber,
  in: (value, container = null) => contains(container, value),
  iterable: (value) =>
    isText(value) || Array.isArray(value) || isDict(value) || [View, Lazy, Undefined].some((type) => value instanceof type),
  lower: (value) => textOf(value) !== textOf(value).toUpperCase() && textOf(value) === textOf(value).toLowerCase(),
  upper: (value) => textOf(value) !== textOf(value).toLowerCase() && textOf(value) === textOf(value).toUpperCase(),
  mapping: isDict,
  none: (value) => value === null,
  sameas: (value, other = null) => value === other,
  sequence: (value) => isText(value) || Array.isArray(value) || isDict(value) || value instanceof Undefined,
  string: isText,
};

/** The test of this name. @throws TemplateError for an unknown name. */
export function testNamed(name: string): Test {
  const test = Object.hasOwn(TESTS, name) ? TESTS[name] : undefined;
  if (test) return test;
  throw new TemplateError(`No test named '${name}'`);
}
