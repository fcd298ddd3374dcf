import { formatText } from './text-format.js';
import { TEXT_METHODS } from './text-methods.js';
import {
  type Arguments,
  Callable,
  charsOf,
  isDict,
  isEqual,
  isText,
  Namespace,
  numberOf,
  TemplateError,
  textOf,
  Tuple,
  Undefined,
  type Value,
  View,
} from './values.js';

type Dict = ReadonlyMap<Value, Value>;

const DICT_METHODS: Readonly<Record<string, (dict: Dict, args: Arguments) => Value>> = {
  get: (dict, { positional: [key = null, otherwise = null] }) => (dict.has(key) ? (dict.get(key) ?? null) : otherwise),
  items: (dict) => new View('dict_items', pairsOf(dict)),
  keys: (dict) => new View('dict_keys', [...dict.keys()]),
  values: (dict) => new View('dict_values', [...dict.values()]),
  copy: (dict) => new Map(dict),
};

const LIST_METHODS: Readonly<Record<string, (list: readonly Value[], args: Arguments) => Value>> = {
  index: (list, { positional: [item = null] }) => {
    const at = list.findIndex((each) => isEqual(each, item));
    if (at < 0) throw new TemplateError('the item is not in the list');
    return at;
  },
  count: (list, { positional: [item = null] }) => list.filter((each) => isEqual(each, item)).length,
  copy: (list) => [...list],
};

/** Methods that change their value. Jinja2's sandbox refuses them too. */
const REFUSED: ReadonlySet<string> = new Set([
  ...['append', 'clear', 'extend', 'insert', 'pop', 'remove', 'reverse', 'sort'],
  ...['popitem', 'setdefault', 'update'],
]);
const refused = (name: string): Callable =>
  new Callable(name, () => {
    throw new TemplateError(`access to the method ${name} is unsafe`);
  });

/** The members of a dict as tuples. */
export const pairsOf = (dict: Dict): Value[] => Array.from(dict, ([key, value]) => Tuple.of2(key, value));

/** A method of a value; null = unknown. */
function methodOf(value: Value, name: string): Callable | null {
  if (isText(value)) {
    return name === 'format'
      ? new Callable(name, (args) => formatText(textOf(value), args, follow))
      : bound(TEXT_METHODS, name, textOf(value));
  }
  if (isDict(value))
    return bound(DICT_METHODS, name, value) ?? (REFUSED.has(name) && !['append', 'extend'].includes(name) ? refused(name) : null);
  if (!Array.isArray(value)) return null;
  return bound(LIST_METHODS, name, value) ?? (REFUSED.has(name) && !(value instanceof Tuple) ? refused(name) : null);
}

function bound<T>(methods: Readonly<Record<string, (self: T, args: Arguments) => Value>>, name: string, self: T): Callable | null {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  return method ? new Callable(name, (args) => method(self, args)) : null;
}

const missing = (what: string): Undefined => new Undefined(what);

/** `value.name`: a method first, then a member. @throws TemplateError for members of what is undefined. */
export function getAttribute(value: Value, name: string): Value {
  if (value instanceof Undefined) return value.refuse();
  if (isDict(value)) return methodOf(value, name) ?? (value.has(name) ? (value.get(name) ?? null) : missing(`'${name}'`));
  return attributeOf(value, name);
}

function attributeOf(value: Value, name: string): Value {
  if (value instanceof Namespace && value.attributes.has(name)) return value.attributes.get(name) ?? null;
  return methodOf(value, name) ?? missing(`'${name}'`);
}

/** `value[key]`: a member first, then a method. @throws TemplateError for members of what is undefined. */
export function getItem(value: Value, key: Value): Value {
  if (value instanceof Undefined) return value.refuse();
  if (isDict(value) && value.has(key)) return value.get(key) ?? null;
  const at = numberOf(key);
  if (at !== null && Number.isInteger(at)) return elementAt(value, at);
  return isText(key) ? attributeOf(value, textOf(key)) : missing('an element');
}

function elementAt(value: Value, at: number): Value {
  if (!Array.isArray(value) && !isText(value)) return missing(`element ${at}`);
  const list = Array.isArray(value) ? value : charsOf(textOf(value));
  const isThere = at < list.length && at >= -list.length;
  return isThere ? (list.at(at) ?? null) : missing(`element ${at}`);
}

/** `value[start:stop:step]` */
export function sliceOf(value: Value, start: Value, stop: Value, step: Value): Value {
  if (value instanceof Undefined) return value.refuse();
  if (!isText(value) && !Array.isArray(value)) return missing('a slice');
  const places = (length: number): number[] => placesOf(length, indexOf(start), indexOf(stop), indexOf(step) ?? 1);
  if (isText(value)) {
    const chars = charsOf(textOf(value));
    return places(chars.length)
      .map((at) => chars[at] ?? '')
      .join('');
  }
  const items = places(value.length).map((at) => value[at] ?? null);
  return value instanceof Tuple ? (Tuple.from(items) as Tuple) : [...items];
}

function indexOf(value: Value): number | null {
  if (value === null) return null;
  const number = numberOf(value);
  if (number !== null && Number.isInteger(number)) return number;
  throw new TemplateError('slice indices must be integers or None');
}

function placesOf(length: number, start: number | null, stop: number | null, step: number): number[] {
  if (step === 0) throw new TemplateError('slice step cannot be zero');
  const [low, high] = step > 0 ? [0, length] : [-1, length - 1];
  const clamp = (at: number): number => Math.min(high, Math.max(low, at < 0 ? at + length : at));
  const [from, to] = step > 0 ? [low, high] : [high, low];
  const [first, end] = [start === null ? from : clamp(start), stop === null ? to : clamp(stop)];
  const places: number[] = [];
  for (let at = first; step > 0 ? at < end : at > end; at += step) places.push(at);
  return places;
}

/** The value at a path such as `function.name` or `0`, as filters take it. */
export function atPath(value: Value, path: Value): Value {
  if (numberOf(path) !== null) return getItem(value, path);
  return textOf(path)
    .split('.')
    .reduce<Value>((each, key) => getItem(each, /^\d+$/.test(key) ? Number(key) : key), value);
}

/** The value at a step of a field of `str.format`. */
function follow(value: Value, step: string): Value {
  if (step.startsWith('.')) return getAttribute(value, step.slice(1));
  const key = step.slice(1, -1);
  return getItem(value, /^\d+$/.test(key) ? Number(key) : key);
}
