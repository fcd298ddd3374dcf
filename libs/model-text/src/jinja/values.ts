/** A template cannot go on: it refuses its input, or asks for what Jinja2 refuses too. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** A value in a template. Numbers are Python's int where they are whole, and float where they are not or stand in a `Float`. */
export type Value =
  | string
  | number
  | boolean
  | null
  | Value[]
  | ReadonlyMap<Value, Value>
  | Float
  | Undefined
  | Markup
  | View
  | Lazy
  | Namespace
  | Callable;

/** A float that is whole, which prints as `2.0`. */
export class Float {
  constructor(readonly value: number) {}
}

/** A name, key or attribute that does not exist. It prints nothing, and refuses nearly everything else. */
export class Undefined {
  constructor(readonly what: string) {}

  refuse(): never {
    throw new TemplateError(`${this.what} is undefined`);
  }
}

/** Text that the filter `safe` made; what is joined to it by `+` is escaped for HTML. */
export class Markup {
  constructor(readonly text: string) {}
}

/** A tuple: a list that prints in round brackets, and equals no list. */
export class Tuple extends Array<Value> {
  static of2(first: Value, second: Value): Tuple {
    const pair = new Tuple();
    pair.push(first, second);
    return pair;
  }
}

/** What `keys`, `values` and `items` of a dict answer. */
export class View {
  constructor(
    readonly kind: 'dict_keys' | 'dict_values' | 'dict_items',
    readonly items: Value[],
  ) {}
}

/** What most filters of sequences answer: it can be gone through once, and has no length. */
export class Lazy {
  constructor(readonly items: Iterator<Value> & Iterable<Value>) {}
}

/** An object whose attributes can be set: `namespace()`, and `loop`. */
export class Namespace {
  constructor(readonly attributes: Map<string, Value>) {}
}

/** What a call is given. */
export interface Arguments {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

/** A function, method or macro. */
export class Callable {
  constructor(
    readonly title: string,
    readonly call: (args: Arguments) => Value,
  ) {}
}

/** The argument at a position or of a name; undefined where neither is given. */
export const argument = ({ positional, named }: Arguments, at: number, name: string): Value | undefined =>
  at < positional.length ? positional[at] : named.get(name);

/** What Python calls the type of a value. */
export function typeName(value: Value): string {
  if (value === null) return 'NoneType';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  if (value instanceof Float) return 'float';
  if (value instanceof Tuple) return 'tuple';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Map) return 'dict';
  if (value instanceof View) return value.kind;
  if (value instanceof Lazy) return 'generator';
  return value.constructor.name;
}

export const isDict = (value: Value): value is ReadonlyMap<Value, Value> => value instanceof Map;

/** The number that a value is, booleans included as Python counts them; null = it is none. */
export function numberOf(value: Value): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  return value instanceof Float ? value.value : null;
}

export const isFloat = (value: Value): boolean => value instanceof Float || (typeof value === 'number' && !Number.isInteger(value));

/** A number as a float, whole or not. */
export const float = (value: number): Value => (Number.isInteger(value) ? new Float(value) : value);

/** Python's truth of a value. */
export function isTrue(value: Value): boolean {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null) return Boolean(value);
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Map) return value.size > 0;
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof Markup) return value.text !== '';
  if (value instanceof View) return value.items.length > 0;
  return !(value instanceof Undefined);
}

/** Python's `==`. */
export function isEqual(a: Value, b: Value): boolean {
  if (a === b) return true;
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== null || y !== null) return x === y;
  if (isText(a) && isText(b)) return textOf(a) === textOf(b);
  if (a instanceof Undefined) return b instanceof Undefined;
  if (Array.isArray(a) && Array.isArray(b)) return isEqualList(a, b);
  return isDict(a) && isDict(b) && a.size === b.size && [...a].every(([key, value]) => b.has(key) && isEqual(value, b.get(key) ?? null));
}

const isEqualList = (a: readonly Value[], b: readonly Value[]): boolean =>
  a instanceof Tuple === b instanceof Tuple && a.length === b.length && a.every((item, i) => isEqual(item, b[i] ?? null));

/** Python's order: negative, 0 or positive. @throws TemplateError for what has none. */
export function compare(a: Value, b: Value): number {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== null && y !== null) return x - y;
  if (isText(a) && isText(b)) return compareTexts(textOf(a), textOf(b));
  if (Array.isArray(a) && Array.isArray(b)) return compareLists(a, b);
  for (const each of [a, b]) if (each instanceof Undefined) each.refuse();
  throw new TemplateError(`'<' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`);
}

function compareLists(a: readonly Value[], b: readonly Value[]): number {
  const at = a.findIndex((item, i) => i >= b.length || !isEqual(item, b[i] ?? null));
  if (at < 0 || at >= b.length) return a.length - b.length;
  return compare(a[at] ?? null, b[at] ?? null);
}

/** By code points, as Python does. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const [x, y] = [Array.from(a), Array.from(b)];
  const at = x.findIndex((char, i) => char !== y[i]);
  if (at < 0 || at >= y.length) return x.length - y.length;
  return (x[at]?.codePointAt(0) ?? 0) - (y[at]?.codePointAt(0) ?? 0);
}

export const isText = (value: Value): value is string | Markup => typeof value === 'string' || value instanceof Markup;

/** Characters of a text as Python counts them. */
export const charsOf = (text: string): readonly string[] => Array.from(text);

/** Python's `str`. */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  if (value instanceof Undefined) return '';
  if (value instanceof Markup) return value.text;
  return reprOf(value);
}

/** Python's `repr`. */
export function reprOf(value: Value): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (isText(value)) return quoted(textOf(value));
  const number = numberOf(value);
  if (number !== null) return isFloat(value) ? floatText(number) : BigInt(number).toString();
  return value instanceof Undefined ? 'Undefined' : reprOfContainer(value);
}

function reprOfContainer(value: Value): string {
  if (value instanceof Tuple) return `(${value.map(reprOf).join(', ')}${value.length === 1 ? ',' : ''})`;
  if (Array.isArray(value)) return `[${value.map(reprOf).join(', ')}]`;
  if (isDict(value)) return `{${Array.from(value, ([key, item]) => `${reprOf(key)}: ${reprOf(item)}`).join(', ')}}`;
  if (value instanceof View) return `${value.kind}([${value.items.map(reprOf).join(', ')}])`;
  // Python prints addresses of these, which no template can want.
  throw new TemplateError(`A ${typeName(value)} has no text`);
}

/** How Python prints a float: with an exponent from 1e16 on and below 1e-4. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e16 || size < 1e-4)) {
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  }
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replaceAll(/[\\\n\r\t']|[^\P{C}]|[^\P{Z} ]/gu, (char) => {
    if (char === "'") return quote === "'" ? "\\'" : char;
    return ESCAPES[char] ?? escaped(char.codePointAt(0) ?? 0);
  });
  return quote + body + quote;
}

function escaped(code: number): string {
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** What a loop goes through: items, keys of a dict, characters of a text. @throws TemplateError for what has no items. */
export function itemsOf(value: Value): Iterable<Value> {
  if (Array.isArray(value)) return value;
  if (isText(value)) return charsOf(textOf(value));
  if (isDict(value)) return value.keys();
  if (value instanceof View || value instanceof Lazy) return value.items;
  if (value instanceof Undefined) return [];
  throw new TemplateError(`'${typeName(value)}' object is not iterable`);
}

/** Python's `len`. @throws TemplateError for what has none. */
export function lengthOf(value: Value): number {
  if (isText(value)) return charsOf(textOf(value)).length;
  if (Array.isArray(value)) return value.length;
  if (isDict(value)) return value.size;
  if (value instanceof View) return value.items.length;
  if (value instanceof Undefined) return 0;
  throw new TemplateError(`object of type '${typeName(value)}' has no len()`);
}

/** A JSON value as templates see it. */
export function fromJson(value: unknown): Value {
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value === 'object' && value !== null) {
    return new Map(Object.entries(value).map(([key, item]) => [key, fromJson(item)]));
  }
  return value === undefined ? new Undefined('a value') : (value as Value);
}
