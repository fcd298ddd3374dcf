import {
  argument,
  type Arguments,
  charsOf,
  isEqual,
  isText,
  itemsOf,
  numberOf,
  TemplateError,
  textOf,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from './values.js';

/** What Python takes for white space at the ends of a text. */
const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const WORD = new RegExp(`[^${SPACE}]+`, 'g');
const SPACE_CHAR = new RegExp(`^[${SPACE}]$`);
const LINE_CHARS = '\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029';
const LINE_END = new RegExp(`\\r\\n|[${LINE_CHARS}]`);

/** `str.strip`, at one end or both. Without `chars` white space goes. */
export function strip(text: string, chars: string | null = null, ends: 'left' | 'right' | 'both' = 'both'): string {
  if (chars === null) return stripWhere(text, ends, (char) => SPACE_CHAR.test(char));
  const goes = new Set(charsOf(chars));
  return stripWhere(text, ends, (char) => goes.has(char));
}

function stripWhere(text: string, ends: 'left' | 'right' | 'both', isGone: (char: string) => boolean): string {
  let [from, to] = [0, text.length];
  while (ends !== 'right' && from < to && isGone(charAt(text, from))) from += charAt(text, from).length;
  while (ends !== 'left' && to > from && isGone(charBefore(text, to))) to -= charBefore(text, to).length;
  return text.slice(from, to);
}

const charAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) ?? 0);
const charBefore = (text: string, at: number): string =>
  /[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 2, at)) ? text.slice(at - 2, at) : text.charAt(at - 1);

/** `str.splitlines` without line ends. */
export function splitLines(text: string): string[] {
  const lines = text.split(LINE_END);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** `str.replace`; a negative count replaces all. */
export function replaceText(text: string, old: string, by: string, count = -1): string {
  if (count < 0 && old !== '') return text.replaceAll(old, () => by);
  const parts = old === '' ? ['', ...charsOf(text), ''] : text.split(old);
  const cut = count < 0 ? parts.length : count + 1;
  return [parts.slice(0, cut).join(by), ...parts.slice(cut)].join(old);
}

/** First letter large, all others small. */
export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();

function split(text: string, { separator, most, last }: { separator: string | null; most: number; last: boolean }): string[] {
  if (separator === '') throw new TemplateError('empty separator');
  const parts = separator === null ? (text.match(WORD) ?? []) : text.split(separator);
  if (most < 0 || parts.length <= most + 1) return [...parts];
  const cut = last ? parts.length - most : most;
  const [head, tail] = [parts.slice(0, cut), parts.slice(cut)];
  return last ? [uncut(text, head, separator, 'begin'), ...tail] : [...head, uncut(text, tail, separator, 'end')];
}

/** Parts that were not to be split, with what stood between them, and beyond them at their end of the text. */
function uncut(text: string, parts: readonly string[], separator: string | null, side: 'begin' | 'end'): string {
  if (separator !== null) return parts.join(separator);
  const words = Array.from(text.matchAll(WORD));
  if (side === 'end') return text.slice(words[words.length - parts.length]?.index);
  const last = words[parts.length - 1];
  return text.slice(0, (last?.index ?? 0) + (last?.[0].length ?? 0));
}

function textArgument(args: Arguments, at: number, name: string): string {
  const value = argument(args, at, name);
  if (value !== undefined && isText(value)) return textOf(value);
  throw new TemplateError(`must be str, not ${value === undefined ? 'missing' : typeName(value)}`);
}

function optionalText(args: Arguments, at: number, name: string): string | null {
  const value = argument(args, at, name) ?? null;
  return value === null ? null : textArgument(args, at, name);
}

const count = (args: Arguments, at: number, name: string, otherwise: number): number =>
  numberOf(argument(args, at, name) ?? otherwise) ?? otherwise;

const splitting = (text: string, args: Arguments, last: boolean): Value =>
  split(text, { separator: optionalText(args, 0, 'sep'), most: count(args, 1, 'maxsplit', -1), last });

/** Whether the text begins or ends with this, or with one of a tuple. */
function matches(args: Arguments, test: (part: string) => boolean): boolean {
  const parts = args.positional[0] ?? null;
  if (!(parts instanceof Tuple)) return test(textArgument(args, 0, ''));
  return parts.some((_, i) => test(textArgument({ positional: parts, named: args.named }, i, '')));
}

/** Position of a part in characters; -1 = it is not there. */
function find(text: string, args: Arguments, last = false): number {
  const part = textArgument(args, 0, 'sub');
  const at = last ? text.lastIndexOf(part) : text.indexOf(part, args.positional.length > 1 ? count(args, 1, 'start', 0) : 0);
  return at < 0 ? -1 : charsOf(text.slice(0, at)).length;
}

function partition(text: string, args: Arguments, last: boolean): Tuple {
  const separator = textArgument(args, 0, 'sep');
  const at = last ? text.lastIndexOf(separator) : text.indexOf(separator);
  if (at < 0) return Tuple.from(last ? ['', '', text] : [text, '', '']) as Tuple;
  return Tuple.from([text.slice(0, at), separator, text.slice(at + separator.length)]) as Tuple;
}

function padded(text: string, args: Arguments, side: (missing: number) => number): string {
  const missing = Math.max(0, count(args, 0, 'width', 0) - charsOf(text).length);
  const fill = optionalText(args, 1, 'fillchar') ?? ' ';
  const left = side(missing);
  return fill.repeat(left) + text + fill.repeat(missing - left);
}

const hasOnly = (text: string, chars: RegExp): boolean => text !== '' && chars.test(text);
const title = (text: string): string => text.replaceAll(/\p{L}+/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase());

/** Python's methods of texts, by name. */
export const TEXT_METHODS: Readonly<Record<string, (text: string, args: Arguments) => Value>> = {
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  casefold: (text) => text.toLowerCase(),
  capitalize: (text) => capitalize(text),
  title: (text) => title(text),
  strip: (text, args) => strip(text, optionalText(args, 0, 'chars')),
  lstrip: (text, args) => strip(text, optionalText(args, 0, 'chars'), 'left'),
  rstrip: (text, args) => strip(text, optionalText(args, 0, 'chars'), 'right'),
  split: (text, args) => splitting(text, args, false),
  rsplit: (text, args) => splitting(text, args, true),
  splitlines: (text) => splitLines(text),
  partition: (text, args) => partition(text, args, false),
  rpartition: (text, args) => partition(text, args, true),
  startswith: (text, args) => matches(args, (part) => text.startsWith(part)),
  endswith: (text, args) => matches(args, (part) => text.endsWith(part)),
  removeprefix: (text, args) => (text.startsWith(textArgument(args, 0, '')) ? text.slice(textArgument(args, 0, '').length) : text),
  removesuffix: (text, args) =>
    textArgument(args, 0, '') !== '' && text.endsWith(textArgument(args, 0, '')) ? text.slice(0, -textArgument(args, 0, '').length) : text,
  replace: (text, args) => replaceText(text, textArgument(args, 0, 'old'), textArgument(args, 1, 'new'), count(args, 2, 'count', -1)),
  find: (text, args) => find(text, args),
  rfind: (text, args) => find(text, args, true),
  index: (text, args) => {
    const at = find(text, args);
    if (at < 0) throw new TemplateError('substring not found');
    return at;
  },
  count: (text, args) => text.split(textArgument(args, 0, 'sub')).length - 1,
  join: (text, args) => Array.from(itemsOf(args.positional[0] ?? new Undefined('join')), joinable).join(text),
  center: (text, args) => padded(text, args, (missing) => Math.floor(missing / 2)),
  ljust: (text, args) => padded(text, args, () => 0),
  rjust: (text, args) => padded(text, args, (missing) => missing),
  zfill: (text, args) =>
    text.replace(/^[+-]?/, (sign) => sign + '0'.repeat(Math.max(0, count(args, 0, 'width', 0) - charsOf(text).length))),
  isdigit: (text) => hasOnly(text, /^\p{Nd}+$/u),
  isnumeric: (text) => hasOnly(text, /^\p{N}+$/u),
  isdecimal: (text) => hasOnly(text, /^\p{Nd}+$/u),
  isalpha: (text) => hasOnly(text, /^\p{L}+$/u),
  isalnum: (text) => hasOnly(text, /^[\p{L}\p{N}]+$/u),
  isspace: (text) => text !== '' && strip(text) === '',
  isupper: (text) => text !== text.toLowerCase() && text === text.toUpperCase(),
  islower: (text) => text !== text.toUpperCase() && text === text.toLowerCase(),
};

function joinable(item: Value, at: number): string {
  if (isText(item)) return textOf(item);
  throw new TemplateError(`sequence item ${at}: expected str instance, ${typeName(item)} found`);
}

/** Whether a text, list, dict or other sequence holds this. @throws TemplateError for what holds nothing. */
export function contains(container: Value, item: Value): boolean {
  if (isText(container)) {
    if (isText(item)) return textOf(container).includes(textOf(item));
    throw new TemplateError(`'in <string>' requires string as left operand, not ${typeName(item)}`);
  }
  if (container instanceof Map) return container.has(item);
  for (const each of itemsOf(container)) if (isEqual(each, item)) return true;
  return false;
}
