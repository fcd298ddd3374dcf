import { printExpr, text } from '../grammar/gbnf.js';

/** A text as GBNF. */
export const gbnfText = (value: string): string => printExpr(text(value));

/** One character in a GBNF class. */
export const classChar = (char: string): string => `\\U${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(8, '0')}`;

/**
 * GBNF rules for any text up to and including the first `end`. The states are those of the search for `end`: how much of it the
 * text ends with.
 * @param name name of the root rule and prefix of all others.
 */
export function gbnfUntil(name: string, end: string): string {
  const rule = (state: number): string => (state === 0 ? name : `${name}-${state}`);
  const alphabet = [...new Set(end)];
  const rules: string[] = [];
  for (let state = 0; state < end.length; state += 1) {
    const seen = end.slice(0, state);
    const steps = alphabet.map((char) => {
      const next = borderOf(end, seen + char);
      return next === end.length ? gbnfText(char) : `${gbnfText(char)} ${rule(next)}`;
    });
    rules.push(`${rule(state)} ::= [^${alphabet.map(classChar).join('')}] ${name} | ${steps.join(' | ')}`);
  }
  return `${rules.join('\n')}\n`;
}

/** Length of the longest beginning of `end` with which `text` ends. */
function borderOf(end: string, text: string): number {
  for (let length = Math.min(end.length, text.length); length > 0; length -= 1) {
    if (text.endsWith(end.slice(0, length))) return length;
  }
  return 0;
}
