import { toJson } from './json-output.js';
import { atPath, pairsOf } from './members.js';
import { SEQUENCE_FILTERS } from './sequence-filters.js';
import { percentText } from './text-format.js';
import { capitalize, replaceText, splitLines, strip } from './text-methods.js';
import {
  argument,
  type Arguments,
  charsOf,
  float,
  isDict,
  isFloat,
  isText,
  isTrue,
  itemsOf,
  Lazy,
  lengthOf,
  Markup,
  numberOf,
  TemplateError,
  textOf,
  Tuple,
  typeName,
  Undefined,
  type Value,
  View,
} from './values.js';

/** A filter such as `value | trim`. */
export type Filter = (value: Value, args: Arguments) => Value;

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', "'": '&#39;', '"': '&#34;' };

/** Escapes text for HTML; text that is marked as HTML stays. */
export const escapeHtml = (value: Value): Markup =>
  value instanceof Markup ? value : new Markup(textOf(value).replaceAll(/[&<>'"]/g, (char) => HTML[char] ?? char));

function whole(args: Arguments, at: number, name: string, otherwise: number): number {
  const number = numberOf(argument(args, at, name) ?? otherwise);
  if (number !== null && Number.isInteger(number)) return number;
  throw new TemplateError(`The argument ${name} must be a whole number`);
}

function optionalText(args: Arguments, at: number, name: string): string | null {
  const value = argument(args, at, name) ?? null;
  return value === null ? null : textOf(value);
}

function indentOf(width: Value): string {
  const number = numberOf(width);
  return number === null ? textOf(width) : ' '.repeat(Math.max(0, number));
}

function dumps(value: Value, args: Arguments): string {
  const indent = argument(args, 1, 'indent') ?? null;
  const separators = argument(args, 2, 'separators') ?? null;
  const [item, key] = Array.isArray(separators) ? separators : [];
  return toJson(value, {
    ascii: isTrue(argument(args, 0, 'ensure_ascii') ?? false),
    indent: indent === null ? null : indentOf(indent),
    separators: item !== undefined && key !== undefined ? [textOf(item), textOf(key)] : null,
    sorted: isTrue(argument(args, 3, 'sort_keys') ?? false),
  });
}

function indented(value: Value, args: Arguments): string {
  const indent = indentOf(argument(args, 0, 'width') ?? 4);
  const [first, blank] = [isTrue(argument(args, 1, 'first') ?? false), isTrue(argument(args, 2, 'blank') ?? false)];
  const lines = splitLines(`${textOf(value)}\n`);
  return lines.map((line, i) => ((i === 0 ? first : blank || line !== '') ? indent + line : line)).join('\n');
}

/** `int` and `float` of a text, as Python parses numbers. */
function numberIn(text: string): number | null {
  const plain = strip(text).replaceAll(/(?<=\d)_(?=\d)/g, '');
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : null;
}

function numeric(value: Value, args: Arguments, kind: 'int' | 'float'): Value {
  if (value instanceof Undefined) return value.refuse();
  const number = isText(value) ? numberIn(textOf(value)) : numberOf(value);
  if (number === null) return argument(args, 0, 'default') ?? (kind === 'int' ? 0 : float(0));
  return kind === 'int' ? Math.trunc(number) : float(number);
}

/** Rounds like Python: halves to the even neighbour. */
function rounded(value: Value, args: Arguments): Value {
  const number = numberOf(value);
  if (number === null) throw new TemplateError(`type ${typeName(value)} doesn't define __round__ method`);
  const factor = 10 ** whole(args, 0, 'precision', 0);
  const method = optionalText(args, 1, 'method') ?? 'common';
  const scaled = number * factor;
  if (method === 'ceil') return float(Math.ceil(scaled) / factor);
  if (method === 'floor') return float(Math.floor(scaled) / factor);
  const near = Math.round(scaled);
  const even = near - scaled === 0.5 && near % 2 !== 0 ? near - 1 : near;
  return !isFloat(value) && factor === 1 ? even : float(even / factor);
}

function titled(text: string): string {
  const parts = text.split(/([-\s({[<]+)/);
  return parts.map(capitalize).join('');
}

function truncated(text: string, args: Arguments): string {
  const [length, end, leeway] = [whole(args, 0, 'length', 255), optionalText(args, 2, 'end') ?? '...', whole(args, 3, 'leeway', 5)];
  const chars = charsOf(text);
  if (chars.length <= length + leeway) return text;
  const cut = chars.slice(0, length - charsOf(end).length).join('');
  if (isTrue(argument(args, 1, 'killwords') ?? false)) return cut + end;
  return cut.slice(0, cut.lastIndexOf(' ') < 0 ? cut.length : cut.lastIndexOf(' ')) + end;
}

function otherwise(value: Value, args: Arguments): Value {
  const isMissing = value instanceof Undefined || (isTrue(argument(args, 1, 'boolean') ?? false) && !isTrue(value));
  return isMissing ? (argument(args, 0, 'default_value') ?? '') : value;
}

function items(value: Value): Value {
  if (value instanceof Undefined) return new View('dict_items', []);
  if (isDict(value)) return new View('dict_items', pairsOf(value));
  throw new TemplateError('Can only get item pairs from a mapping.');
}

function absolute(value: Value): Value {
  const number = numberOf(value);
  if (number === null) throw new TemplateError(`bad operand type for abs(): '${typeName(value)}'`);
  return isFloat(value) ? float(Math.abs(number)) : Math.abs(number);
}

const FILTERS: Readonly<Record<string, Filter>> = {
  ...SEQUENCE_FILTERS,
  abs: absolute,
  capitalize: (value) => capitalize(textOf(value)),
  center: (value, args) => {
    const missing = Math.max(0, whole(args, 0, 'width', 80) - charsOf(textOf(value)).length);
    const left = Math.floor(missing / 2);
    return ' '.repeat(left) + textOf(value) + ' '.repeat(missing - left);
  },
  count: (value) => lengthOf(value),
  length: (value) => lengthOf(value),
  d: otherwise,
  default: otherwise,
  e: escapeHtml,
  escape: escapeHtml,
  forceescape: (value) => escapeHtml(textOf(value)),
  float: (value, args) => numeric(value, args, 'float'),
  int: (value, args) => numeric(value, args, 'int'),
  format: (value, { positional, named }) => percentText(textOf(value), named.size > 0 ? new Map(named) : (Tuple.from(positional) as Tuple)),
  indent: indented,
  items,
  map: (value, args) => new Lazy(mapped(value, args)),
  lower: (value) => textOf(value).toLowerCase(),
  upper: (value) => textOf(value).toUpperCase(),
  replace: (value, args) =>
    replaceText(textOf(value), optionalText(args, 0, 'old') ?? '', optionalText(args, 1, 'new') ?? '', whole(args, 2, 'count', -1)),
  round: rounded,
  safe: (value) => new Markup(textOf(value)),
  string: (value) => textOf(value),
  title: (value) => titled(textOf(value)),
  tojson: dumps,
  trim: (value, args) => strip(textOf(value), optionalText(args, 0, 'chars')),
  truncate: (value, args) => truncated(textOf(value), args),
  wordcount: (value) => textOf(value).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0,
};

/** The filter of this name. @throws TemplateError for an unknown name. */
export function filterNamed(name: string): Filter {
  const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
  if (filter) return filter;
  throw new TemplateError(`No filter named '${name}'`);
}

/** Filter `map`: each item through a filter, or one of its attributes. */
function* mapped(value: Value, { positional, named }: Arguments): Generator<Value, undefined> {
  if (!isTrue(value)) return;
  const attribute = named.get('attribute');
  const [name, ...args] = positional;
  if (attribute === undefined && name === undefined) throw new TemplateError('map requires a filter argument');
  const standIn = named.get('default');
  for (const item of itemsOf(value)) {
    if (attribute === undefined) {
      yield filterNamed(textOf(name ?? ''))(item, { positional: args, named });
      continue;
    }
    const found = atPath(item, attribute);
    yield found instanceof Undefined && standIn !== undefined ? standIn : found;
  }
}
