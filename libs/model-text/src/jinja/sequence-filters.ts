import { atPath, pairsOf } from './members.js';
import { testNamed } from './tests.js';
import {
  argument,
  type Arguments,
  charsOf,
  compare,
  isDict,
  isEqual,
  isText,
  isTrue,
  itemsOf,
  Lazy,
  numberOf,
  TemplateError,
  textOf,
  Tuple,
  Undefined,
  type Value,
} from './values.js';

type SequenceFilter = (value: Value, args: Arguments) => Value;

/** Key for sorting and comparing: texts in lower case, unless case matters. */
const folded = (value: Value, caseSensitive: boolean): Value => (isText(value) && !caseSensitive ? textOf(value).toLowerCase() : value);

const flag = (args: Arguments, at: number, name: string): boolean => isTrue(argument(args, at, name) ?? false);

/** Value of an item: the item itself, or one of its attributes. */
function keyOf(item: Value, attribute: Value, caseSensitive: boolean): Value {
  if (attribute === null) return folded(item, caseSensitive);
  const paths = isText(attribute) ? textOf(attribute).split(',') : [attribute];
  const keys = paths.map((path) => folded(atPath(item, path), caseSensitive));
  return keys.length === 1 ? (keys[0] ?? null) : (Tuple.from(keys) as Tuple);
}

function sorted(value: Value, args: Arguments): Value {
  const caseSensitive = flag(args, 1, 'case_sensitive');
  const attribute = argument(args, 2, 'attribute') ?? null;
  const sign = flag(args, 0, 'reverse') ? -1 : 1;
  return [...itemsOf(value)].toSorted((a, b) => sign * compare(keyOf(a, attribute, caseSensitive), keyOf(b, attribute, caseSensitive)));
}

function dictSorted(value: Value, args: Arguments): Value {
  if (!isDict(value)) throw new TemplateError('dictsort takes a mapping');
  const caseSensitive = flag(args, 0, 'case_sensitive');
  const at = textOf(argument(args, 1, 'by') ?? 'key') === 'key' ? 0 : 1;
  const sign = flag(args, 2, 'reverse') ? -1 : 1;
  const part = (pair: Value): Value => folded((pair as Tuple)[at] ?? null, caseSensitive);
  return pairsOf(value).toSorted((a, b) => sign * compare(part(a), part(b)));
}

/** The least or greatest item; the first of equals. */
function extreme(value: Value, args: Arguments, sign: number): Value {
  const [caseSensitive, attribute] = [flag(args, 0, 'case_sensitive'), argument(args, 1, 'attribute') ?? null];
  let [best, found]: [Value, boolean] = [new Undefined('No aggregated item, sequence was empty.'), false];
  for (const item of itemsOf(value)) {
    const isBetter = !found || sign * compare(keyOf(item, attribute, caseSensitive), keyOf(best, attribute, caseSensitive)) < 0;
    if (isBetter) [best, found] = [item, true];
  }
  return best;
}

function joined(value: Value, args: Arguments): Value {
  const attribute = argument(args, 1, 'attribute') ?? null;
  const texts = Array.from(itemsOf(value), (item) => textOf(attribute === null ? item : atPath(item, attribute)));
  return texts.join(textOf(argument(args, 0, 'd') ?? ''));
}

function* unique(value: Value, args: Arguments): Generator<Value, undefined> {
  const seen: Value[] = [];
  for (const item of itemsOf(value)) {
    const key = keyOf(item, argument(args, 1, 'attribute') ?? null, flag(args, 0, 'case_sensitive'));
    if (seen.some((each) => isEqual(each, key))) continue;
    seen.push(key);
    yield item;
  }
}

/** Items that pass a test, or fail it. Evaluated lazily. */
function* chosen(
  value: Value,
  { positional, named }: Arguments,
  how: { keep: boolean; byAttribute: boolean },
): Generator<Value, undefined> {
  if (!isTrue(value)) return;
  const [path, ...rest] = how.byAttribute ? positional : [null, ...positional];
  if (path === undefined) throw new TemplateError('Missing parameter for attribute name');
  const [name, ...args] = rest;
  const test = name === undefined ? isTrue : testNamed(textOf(name));
  for (const item of itemsOf(value)) {
    const tried = how.byAttribute ? atPath(item, path) : item;
    if (test(tried, ...args, ...named.values()) === how.keep) yield item;
  }
}

const choosing =
  (keep: boolean, byAttribute: boolean): SequenceFilter =>
  (value, args) =>
    new Lazy(chosen(value, args, { keep, byAttribute }));

function reversed(value: Value): Value {
  if (isText(value)) return charsOf(textOf(value)).toReversed().join('');
  return new Lazy([...itemsOf(value)].toReversed().values());
}

function first(value: Value): Value {
  for (const item of itemsOf(value)) return item;
  return new Undefined('No first item, sequence was empty.');
}

const last = (value: Value): Value => first([...itemsOf(value)].toReversed());

function* batches(value: Value, args: Arguments): Generator<Value, undefined> {
  const [size, fill] = [numberOf(argument(args, 0, 'linecount') ?? null) ?? 1, argument(args, 1, 'fill_with') ?? null];
  let batch: Value[] = [];
  for (const item of itemsOf(value)) {
    if (batch.length === size) yield batch;
    batch = batch.length === size ? [item] : [...batch, item];
  }
  if (batch.length === 0) return;
  yield fill === null ? batch : [...batch, ...Array.from({ length: size - batch.length }, () => fill)];
}

function total(value: Value, args: Arguments): Value {
  const attribute = argument(args, 0, 'attribute') ?? null;
  let sum = numberOf(argument(args, 1, 'start') ?? 0) ?? 0;
  for (const item of itemsOf(value)) {
    const number = numberOf(attribute === null ? item : atPath(item, attribute));
    if (number === null) throw new TemplateError('sum takes numbers only');
    sum += number;
  }
  return sum;
}

/** Jinja2's filters of sequences by name, except `map`. */
export const SEQUENCE_FILTERS: Readonly<Record<string, SequenceFilter>> = {
  attr: (value, args) => atPath(value, argument(args, 0, 'name') ?? ''),
  batch: (value, args) => new Lazy(batches(value, args)),
  dictsort: dictSorted,
  first,
  join: joined,
  last,
  list: (value) => [...itemsOf(value)],
  max: (value, args) => extreme(value, args, -1),
  min: (value, args) => extreme(value, args, 1),
  reject: choosing(false, false),
  rejectattr: choosing(false, true),
  reverse: reversed,
  select: choosing(true, false),
  selectattr: choosing(true, true),
  sort: sorted,
  sum: total,
  unique: (value, args) => new Lazy(unique(value, args)),
};
