import { type CharSet, intersect, TEXT_CHARS } from './char-set.js';

/** An expression of a GBNF grammar. `max` null = unbounded. */
export type Expr =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'chars'; readonly set: CharSet }
  | { readonly kind: 'seq'; readonly items: readonly Expr[] }
  | { readonly kind: 'alt'; readonly items: readonly Expr[] }
  | { readonly kind: 'repeat'; readonly item: Expr; readonly min: number; readonly max: number | null }
  | { readonly kind: 'rule'; readonly name: string };

/** Rules by name. */
export type Rules = ReadonlyMap<string, Expr>;

/** Rules for a larger grammar. */
export interface EmbeddedRules {
  /** The rule of the whole text. */
  readonly root: string;
  /** GBNF, one rule a line; every name begins with the prefix. */
  readonly rules: string;
}

/** The empty text. */
export const EMPTY: Expr = { kind: 'text', text: '' };
/** Matches nothing, not even the empty text. */
export const NEVER: Expr = { kind: 'alt', items: [] };

/** Whether an expression matches nothing. */
export const isNever = (expr: Expr): boolean => expr.kind === 'alt' && expr.items.length === 0;
const isEmpty = (expr: Expr): boolean => expr.kind === 'text' && expr.text === '';

/** A literal. */
export const text = (value: string): Expr => ({ kind: 'text', text: value });
/** A reference to a rule. */
export const ref = (name: string): Expr => ({ kind: 'rule', name });

/** One character of the set. */
export function chars(set: CharSet): Expr {
  const possible = intersect(set, TEXT_CHARS);
  return possible.length === 0 ? NEVER : { kind: 'chars', set: possible };
}

/** Sequence. */
export function seq(...parts: readonly Expr[]): Expr {
  const items: Expr[] = [];
  for (const part of parts.flatMap((each) => (each.kind === 'seq' ? each.items : [each]))) {
    if (isNever(part)) return NEVER;
    if (isEmpty(part)) continue;
    const last = items.at(-1);
    if (part.kind === 'text' && last?.kind === 'text') items[items.length - 1] = text(last.text + part.text);
    else items.push(part);
  }
  const [only = EMPTY] = items;
  return items.length > 1 ? { kind: 'seq', items } : only;
}

/** Alternatives. */
export function alt(...options: readonly Expr[]): Expr {
  const all = options.flatMap((each) => (each.kind === 'alt' ? each.items : [each]));
  const [first] = all;
  if (first !== undefined && all.length === 1) return first;
  const distinct = new Map<string, Expr>();
  for (const option of all) distinct.set(printExpr(option), option);
  const items = [...distinct.values()];
  const [only = NEVER] = items;
  return items.length > 1 ? { kind: 'alt', items } : only;
}

/** Optional; written as a choice, because llama.cpp refuses `?` after large groups. */
export const optional = (expr: Expr): Expr => (isNever(expr) ? EMPTY : alt(expr, EMPTY));

/** `item` from `min` to `max` times; a `RuleBook` turns large counts into rules. */
export function repeat(item: Expr, min: number, max: number | null): Expr {
  if (max === 0 || isEmpty(item)) return EMPTY;
  if (isNever(item)) return min === 0 ? EMPTY : NEVER;
  if (min === 1 && max === 1) return item;
  return { kind: 'repeat', item, min, max };
}

const hex = (code: number, digits: number): string => code.toString(16).toUpperCase().padStart(digits, '0');

function printTextChar(char: string): string {
  if (char === '"' || char === '\\') return `\\${char}`;
  const code = char.codePointAt(0) ?? 0;
  return code < 0x20 || code === 0x7f ? `\\x${hex(code, 2)}` : char;
}

function printClassChar(code: number): string {
  const char = String.fromCodePoint(code);
  if (/[A-Za-z0-9_ ]/.test(char)) return char;
  if (code <= 0xff) return `\\x${hex(code, 2)}`;
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

const printRange = ([from, to]: CharSet[number]): string =>
  from === to ? printClassChar(from) : `${printClassChar(from)}-${printClassChar(to)}`;

function printCount(min: number, max: number | null): string {
  if (max === null) return min === 0 ? '*' : `{${min},}`;
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

const grouped = (expr: Expr): string => {
  const atomic = expr.kind === 'chars' || expr.kind === 'rule' || expr.kind === 'text';
  return atomic ? printExpr(expr) : `(${printExpr(expr)})`;
};

const printed = new WeakMap<Expr, string>();

/** GBNF of an expression, on one line. */
export function printExpr(expr: Expr): string {
  const known = printed.get(expr) ?? print(expr);
  printed.set(expr, known);
  return known;
}

function print(expr: Expr): string {
  switch (expr.kind) {
    case 'text':
      return `"${Array.from(expr.text, printTextChar).join('')}"`;
    case 'chars':
      return `[${expr.set.map(printRange).join('')}]`;
    case 'seq':
      return expr.items.length === 0 ? '""' : expr.items.map((item) => (item.kind === 'alt' ? grouped(item) : printExpr(item))).join(' ');
    case 'alt':
      return expr.items.map(printExpr).join(' | ');
    case 'repeat':
      return `${grouped(expr.item)}${printCount(expr.min, expr.max)}`;
    case 'rule':
      return expr.name;
  }
}

/** GBNF of rules, one a line. */
export const printRules = (rules: Rules): string => Array.from(rules, ([name, expr]) => `${name} ::= ${printExpr(expr)}\n`).join('');
