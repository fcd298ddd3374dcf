import { isServiceError } from '@slipway/contracts';
import { type Automaton, allOf, lengthsOf, ofLength, within } from './automaton.js';
import { automatonOf, patternAutomaton } from './automaton-builder.js';
import { automatonRules } from './automaton-rules.js';
import type { CharSet } from './char-set.js';
import { type Expr, NEVER } from './gbnf.js';
import { TEXT_ALPHABET, jsonChars, jsonString, quoted } from './json-text.js';
import type { LeftOut } from './left-out.js';
import { anywhereMatch } from './regex-grammar.js';
import type { RuleBook } from './rule-book.js';
import { countOf, textsOf, type Words } from './schema-words.js';
import { FORMAT_NAMES, formatText, shortFormatText } from './string-format.js';

/** Where not all lengths fit, the allowed excess over the shortest text, in characters. */
const MIN_SPREAD = 20;

/** A text of a schema: the automaton of all its assertions. */
interface TextForm {
  /** Null = a single pattern or format, which needs no automaton. */
  readonly machine: Automaton | null;
  readonly single: { readonly word: 'pattern' | 'format'; readonly value: string } | null;
}

/** One assertion about a text. */
interface Part {
  readonly word: string;
  readonly make: () => Automaton | null;
}

/** Compiles the strings of a schema. Names the assertions that it leaves out. */
export function jsonText(book: RuleBook, words: Words, at: string, leftOut: LeftOut): { readonly expr: Expr; readonly mayGrow: boolean } {
  const { min, max } = lengthOf(words, at);
  if (max !== null && min > max) return { expr: NEVER, mayGrow: false };
  const form = textForm(words, at, TEXT_ALPHABET, leftOut);
  if (form === null) return { expr: jsonString(book, min, max), mayGrow: false };
  if (form.machine) return { expr: quotedMachine(book, form.machine), mayGrow: false };
  const { word, value } = form.single ?? { word: 'pattern', value: '' };
  const content = word === 'pattern' ? anywhereMatch(value, jsonChars) : formatText(value);
  return { expr: content ? book.rule(word, quoted(content)) : NEVER, mayGrow: word === 'pattern' };
}

/** A JSON string whose content an automaton accepts, in one form. */
export function quotedMachine(book: RuleBook, machine: Automaton): Expr {
  const content = automatonRules(book, machine, jsonChars);
  return content === null ? NEVER : book.rule('text', quoted(content));
}

/** Bounds of a text's length, in characters. */
export const lengthOf = (words: Words, at: string): { readonly min: number; readonly max: number | null } => ({
  min: countOf(words, 'minLength', at) ?? 0,
  max: countOf(words, 'maxLength', at) ?? null,
});

/**
 * What a text must be beside its length; null = nothing, or only a length.
 * @param alphabet allowed characters.
 */
export function textForm(words: Words, at: string, alphabet: CharSet, leftOut: LeftOut): TextForm | null {
  const patterns = textsOf(words, 'pattern', at);
  const formats = textsOf(words, 'format', at).filter((name) => FORMAT_NAMES.includes(name));
  const { min, max } = lengthOf(words, at);
  const parts: Part[] = [
    ...patterns.map((pattern): Part => ({ word: 'pattern', make: () => patternAutomaton(pattern) })),
    ...formats.map((name): Part => ({
      word: 'format',
      make: () => automatonOf(max === null ? (formatText(name) ?? NEVER) : shortFormatText(name, max).expr),
    })),
  ];
  if (parts.length === 0) return null;
  const machine = allParts(parts, alphabet, at, leftOut);
  const longest = max === null ? null : Math.min(...formats.map((name) => shortFormatText(name, max).longest), max);
  const bounded = machine && withLength(machine, alphabet, { min, max: longest });
  if (bounded) return { machine: bounded, single: null };
  const single = machine ? null : oneAlone(patterns, formats, at, leftOut);
  if (!machine && !single) return null;
  if (min > 0) leftOut.add(at, 'minLength');
  if (max !== null) leftOut.add(at, 'maxLength');
  return { machine, single };
}

/** The automaton of all parts that have one; other parts are left out. Null = none has one. */
function allParts(parts: readonly Part[], alphabet: CharSet, at: string, leftOut: LeftOut): Automaton | null {
  let all: Automaton | null = null;
  for (const { word, make } of parts) {
    const made = machineOf(make);
    const narrowed = made && within(made, alphabet);
    const next: Automaton | null = narrowed && all ? allOf([all, narrowed]) : narrowed;
    if (next) all = next;
    else if (parts.length > 1) leftOut.add(at, word);
  }
  return all;
}

/** Null for an unsupported regular expression. @throws ServiceError for an invalid one. */
export function machineOf(make: () => Automaton | null): Automaton | null {
  try {
    return make();
  } catch (error) {
    if (isServiceError(error) && error.code === 'unsupported_value') return null;
    throw error;
  }
}

/** Restricts an automaton to some lengths, or to as many as fit; null = too few. */
function withLength(
  machine: Automaton,
  alphabet: CharSet,
  { min, max }: { readonly min: number; readonly max: number | null },
): Automaton | null {
  const { shortest, longest } = lengthsOf(machine);
  const isShort = max === null || (longest !== null && longest <= max);
  if (shortest >= min && isShort) return machine;
  const least = Math.max(min, shortest + MIN_SPREAD);
  for (let last = isShort ? null : max; last === null || last >= Math.min(least, max ?? least); last = Math.floor(last / 2)) {
    const lengths = ofLength(alphabet, min, last);
    const bounded = lengths && allOf([machine, lengths]);
    if (bounded) return bounded;
    if (last === null) return null;
  }
  return null;
}

/** Without automata one pattern or format is enforced; the others are left out. */
function oneAlone(patterns: readonly string[], formats: readonly string[], at: string, leftOut: LeftOut): TextForm['single'] {
  const [pattern] = patterns;
  const [format] = formats;
  if (pattern !== undefined && isReadable(pattern)) return { word: 'pattern', value: pattern };
  if (pattern !== undefined) leftOut.add(at, 'pattern');
  return format === undefined ? null : { word: 'format', value: format };
}

function isReadable(pattern: string): boolean {
  try {
    anywhereMatch(pattern, jsonChars);
    return true;
  } catch (error) {
    if (isServiceError(error) && error.code === 'unsupported_value') return false;
    throw error;
  }
}
