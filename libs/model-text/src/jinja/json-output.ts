import { compareTexts, isDict, isFloat, isText, floatText, numberOf, TemplateError, textOf, typeName, type Value } from './values.js';

/** The options of Python's `json.dumps` that templates use. */
export interface JsonOptions {
  readonly ascii: boolean;
  /** Indentation of one level; null = one line. */
  readonly indent: string | null;
  readonly separators: readonly [item: string, key: string] | null;
  readonly sorted: boolean;
}

/** JSON text like Python's `json.dumps`. @throws TemplateError for values that JSON cannot represent, including `undefined`. */
export function toJson(value: Value, options: JsonOptions, depth = 0): string {
  if (isText(value)) return jsonString(textOf(value), options.ascii);
  if (value === null || typeof value === 'boolean') return String(value);
  if (numberOf(value) !== null) return numberText(value);
  const [comma, colon] = options.separators ?? [options.indent === null ? ', ' : ',', ': '];
  const inner = (item: Value): string => toJson(item, options, depth + 1);
  const lines = { comma, indent: options.indent, depth };
  if (Array.isArray(value)) return `[${joined(value.map(inner), lines)}]`;
  if (isDict(value)) {
    const members = Array.from(value, ([key, item]) => [keyText(key), item] as const);
    if (options.sorted) members.sort(([a], [b]) => compareTexts(a, b));
    const texts = members.map(([key, item]) => jsonString(key, options.ascii) + colon + inner(item));
    return `{${joined(texts, lines)}}`;
  }
  throw new TemplateError(`Object of type ${typeName(value)} is not JSON serializable`);
}

function joined(items: readonly string[], { comma, indent, depth }: { comma: string; indent: string | null; depth: number }): string {
  if (items.length === 0 || indent === null) return items.join(comma);
  const line = `\n${indent.repeat(depth + 1)}`;
  return `${line}${items.join(comma + line)}\n${indent.repeat(depth)}`;
}

function numberText(value: Value): string {
  const number = numberOf(value) ?? 0;
  if (Number.isNaN(number)) return 'NaN';
  if (!Number.isFinite(number)) return number > 0 ? 'Infinity' : '-Infinity';
  return isFloat(value) ? floatText(number) : BigInt(number).toString();
}

/** Keys of JSON objects: Python also accepts numbers, booleans and None. */
function keyText(key: Value): string {
  if (isText(key)) return textOf(key);
  if (key === null || typeof key === 'boolean') return String(key);
  if (numberOf(key) !== null) return numberText(key);
  throw new TemplateError(`keys must be str, int, float, bool or None, not ${typeName(key)}`);
}

function jsonString(text: string, ascii: boolean): string {
  const json = JSON.stringify(text);
  if (!ascii) return json;
  return json.replaceAll(/[\x7f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
