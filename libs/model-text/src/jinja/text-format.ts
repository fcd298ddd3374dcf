import {
  type Arguments,
  charsOf,
  floatText,
  isDict,
  isFloat,
  isText,
  numberOf,
  reprOf,
  TemplateError,
  textOf,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from './values.js';

/** `{field!conversion:spec}`, or a doubled bracket. */
const FIELD = /\{\{|\}\}|\{([^{}!:]*)(?:!([rs]))?(?::([^{}]*))?\}|[{}]/g;
const SPEC =
  /^(?:(?<fill>.)?(?<align>[<>=^]))?(?<sign>[+ -])?#?(?<zero>0)?(?<width>\d+)?(?<comma>,)?(?:\.(?<digits>\d+))?(?<kind>[a-zA-Z%])?$/u;
const PERCENT = /%(?:\((?<key>\w+)\))?(?<flags>[-+ 0#]*)(?<width>\d+)?(?:\.(?<digits>\d+))?(?<kind>.)/gs;

/** Parsed format specification of Python. */
interface Spec {
  readonly fill: string;
  readonly align: string;
  readonly plus: string;
  readonly width: number;
  readonly comma: boolean;
  /** Null = unlimited. */
  readonly digits: number | null;
  readonly kind: string;
}

/**
 * `str.format`.
 * @param follow the value at a step such as `.name` or `[0]` of a field.
 * @throws TemplateError for a missing field or an unknown format.
 */
export function formatText(text: string, args: Arguments, follow: (value: Value, step: string) => Value): string {
  let next = 0;
  let made = '';
  let from = 0;
  for (const match of text.matchAll(FIELD)) {
    const [whole, field, conversion, spec = ''] = match;
    made += text.slice(from, match.index);
    from = match.index + whole.length;
    if (whole === '{{' || whole === '}}') made += whole.charAt(0);
    else if (field === undefined) throw new TemplateError(`Single '${whole}' encountered in format string`);
    else {
      const [first = '', ...path] = field.split(/(?=[.[])/);
      if (first === '') next += 1;
      const value = path.reduce(follow, given(first === '' ? String(next - 1) : first, args));
      made += formatted(converted(value, conversion), spec);
    }
  }
  return made + text.slice(from);
}

function converted(value: Value, conversion: string | undefined): Value {
  if (conversion === undefined) return value;
  return conversion === 'r' ? reprOf(value) : textOf(value);
}

function given(name: string, { positional, named }: Arguments): Value {
  const value = /^\d+$/.test(name) ? positional[Number(name)] : named.get(name);
  if (value === undefined) throw new TemplateError(`The format names ${name}, which is not given`);
  return value;
}

function readSpec(spec: string, isNumber: boolean): Spec | null {
  const parts = SPEC.exec(spec)?.groups;
  if (!parts) return null;
  const { zero, sign = '', width = '0', digits, kind = '' } = parts;
  const plain = isNumber ? '>' : '<';
  return {
    fill: parts['fill'] ?? zero ?? ' ',
    align: parts['align'] ?? (zero === undefined ? plain : '='),
    plus: sign.replace('-', ''),
    width: Number(width),
    comma: parts['comma'] !== undefined,
    digits: digits === undefined ? null : Number(digits),
    kind,
  };
}

/** One value in Python's format specification language. */
function formatted(value: Value, text: string): string {
  if (text === '') return textOf(value);
  const number = value instanceof Undefined || typeof value === 'boolean' ? null : numberOf(value);
  const spec = readSpec(text, number !== null);
  if (!spec || (number === null && (!isText(value) || !['', 's'].includes(spec.kind)))) {
    throw new TemplateError(`The format ${text} does not suit a ${typeName(value)}`);
  }
  const body = number === null ? shortened(textOf(value), spec.digits) : numberBody(value, spec);
  return aligned(number === null || body.startsWith('-') ? body : spec.plus + body, spec);
}

const shortened = (text: string, most: number | null): string => (most === null ? text : charsOf(text).slice(0, most).join(''));

function aligned(text: string, { fill: char, align, width }: Spec): string {
  const fill = char.repeat(Math.max(0, width - charsOf(text).length));
  if (align === '<') return text + fill;
  if (align === '^') return fill.slice(0, Math.floor(fill.length / 2)) + text + fill.slice(Math.floor(fill.length / 2));
  const sign = align === '=' ? (/^[+ -]/.exec(text)?.[0] ?? '') : '';
  return sign + fill + text.slice(sign.length);
}

const RADIX: Readonly<Record<string, number>> = { x: 16, X: 16, o: 8, b: 2 };

function numberBody(value: Value, spec: Spec): string {
  const number = numberOf(value) ?? 0;
  const radix = RADIX[spec.kind];
  if (radix !== undefined) return spec.kind === 'X' ? number.toString(radix).toUpperCase() : number.toString(radix);
  const text = decimalText(value, number, spec);
  if (!spec.comma) return text;
  return text.replace(/^(-?)(\d+)/, (_, sign: string, whole: string) => sign + whole.replaceAll(/\B(?=(\d{3})+$)/g, ','));
}

function decimalText(value: Value, number: number, { kind, digits }: Spec): string {
  switch (kind) {
    case 'f':
    case 'F':
      return number.toFixed(digits ?? 6);
    case '%':
      return `${(number * 100).toFixed(digits ?? 6)}%`;
    case 'e':
      return number.toExponential(digits ?? 6).replace(/e([+-])(\d)$/, 'e$10$2');
    case '':
      return isFloat(value) ? floatText(number) : BigInt(number).toString();
    case 'd':
      if (!isFloat(value)) return BigInt(number).toString();
      throw new TemplateError("Unknown format code 'd' for a float");
    default:
      throw new TemplateError(`Unknown format code '${kind}'`);
  }
}

/** `text % values`, for the forms that print text and numbers. */
export function percentText(text: string, values: Value): string {
  const list = values instanceof Tuple ? values : [values];
  let next = 0;
  const made = Array.from(text.matchAll(PERCENT), ({ 0: whole, index, groups: { key, ...form } = {} }) => {
    if (form['kind'] === '%') return { whole, index, by: '%' };
    if (key === undefined) next += 1;
    const value = key === undefined ? list[next - 1] : memberOf(values, key);
    if (value === undefined) throw new TemplateError('not enough arguments for format string');
    return { whole, index, by: percentValue(value, form) };
  });
  if (next < list.length && !isDict(values)) throw new TemplateError('not all arguments converted during string formatting');
  let result = '';
  let from = 0;
  for (const { whole, index, by } of made) {
    result += text.slice(from, index) + by;
    from = index + whole.length;
  }
  return result + text.slice(from);
}

const memberOf = (values: Value, key: string): Value | undefined => (isDict(values) ? values.get(key) : undefined);

function percentValue(value: Value, { flags = '', width = '', digits, kind = '' }: Readonly<Record<string, string | undefined>>): string {
  const size = width + (digits === undefined ? '' : `.${digits}`);
  const side = flags.includes('-') ? '<' : '';
  if (kind === 's') return formatted(textOf(value), `${side || '>'}${size}`);
  if (kind === 'r') return formatted(reprOf(value), `${side || '>'}${size}`);
  const number = numberOf(value);
  if (number === null) throw new TemplateError(`%${kind} format: a number is required, not ${typeName(value)}`);
  const signs = ['+', '0'].filter((flag) => flags.includes(flag)).join('');
  return 'di'.includes(kind) ? formatted(Math.trunc(number), `${side}${signs}${size}d`) : formatted(value, `${side}${signs}${size}${kind}`);
}
