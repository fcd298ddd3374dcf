import type { Automaton } from './automaton.js';
import type { CharSet } from './char-set.js';
import { alt, EMPTY, type Expr, isNever, seq } from './gbnf.js';
import type { RuleBook } from './rule-book.js';

/** Most steps written inline before they become a rule. */
const MAX_INLINE = 24;

/**
 * The texts of an automaton as rules, one for each state where paths meet. The rules are unambiguous.
 * @param char writes one character of a set.
 * @returns null for an empty language.
 */
export function automatonRules(book: RuleBook, { states }: Automaton, char: (set: CharSet) => Expr): Expr | null {
  if (states.length === 0) return null;
  const entries = states.map(() => 0);
  for (const { steps } of states) for (const { to } of steps) entries[to] = (entries[to] ?? 0) + 1;
  const refs = new Map<number, Expr>();
  const names = new Map<number, string>();
  // From the last state to the first: most references point to later states.
  const isShared = (at: number): boolean => at === 0 || (entries[at] ?? 0) > 1;
  for (const at of states.keys()) if (isShared(at)) names.set(at, book.reserve('state'));
  const body = (at: number, inline: number): Expr => {
    const { accepts, steps } = states[at] ?? { accepts: false, steps: [] };
    const ways = steps.map(({ set, to }) => seq(char(set), target(to, inline + 1)));
    return alt(...ways, ...(accepts ? [EMPTY] : []));
  };
  const target = (at: number, inline: number): Expr => {
    const name = names.get(at);
    if (name !== undefined) return { kind: 'rule', name };
    if (inline <= MAX_INLINE) return body(at, inline);
    const known = refs.get(at) ?? book.rule('state', body(at, 0));
    refs.set(at, known);
    return known;
  };
  for (const [at, name] of names) {
    const expr = body(at, 0);
    if (isNever(expr)) return null;
    book.define(name, expr);
  }
  return { kind: 'rule', name: names.get(0) ?? '' };
}
