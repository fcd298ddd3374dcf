import { isRecord } from '@slipway/contracts';
import { automatonRules } from './automaton-rules.js';
import { charsOf, complement } from './char-set.js';
import { CompileBudget } from './compile-budget.js';
import { alt, chars, EMPTY, type EmbeddedRules, type Expr, NEVER, repeat, seq } from './gbnf.js';
import { embeddedRules, type SchemaPlace } from './json-schema-grammar.js';
import { LeftOut } from './left-out.js';
import { RuleBook } from './rule-book.js';
import { SchemaReader } from './schema-reader.js';
import { listOf, type Words } from './schema-words.js';
import { textChoice } from './text-choice.js';
import { lengthOf, textForm } from './text-schema.js';
import { ValueFits } from './value-fits.js';

/** First character of every mark that ends a text: a text without it contains no mark. */
const INNER = chars(complement(charsOf('<')));
/** Line breaks at both ends of a text are part of its format, not of its value. */
const EDGE_CHARS = complement(charsOf('<\n'));
const EDGE = chars(EDGE_CHARS);

/** Characters that JSON escapes and plain text cannot contain. */
const UNWRITABLE = /[\0\p{Surrogate}]/u;

/** Rules of texts without quotes. */
export interface PlainTextRules extends EmbeddedRules {
  /** Whether any text may follow `root`. */
  readonly open: boolean;
}

/**
 * GBNF rules for strings of a schema written without quotes, up to a mark that begins with `<`. Every text of the grammar satisfies
 * the schema, except the assertions left out. Texts with a length or pattern contain no `<`, those with a pattern no line break.
 * @returns null where any text is allowed.
 * @throws ServiceError like `jsonSchemaRules`.
 */
export function plainTextRules(schema: unknown, prefix: string, place: SchemaPlace = {}): PlainTextRules | null {
  const { root = schema, at = '#', budget = new CompileBudget(), leftOut = new LeftOut() } = place;
  const reader = new SchemaReader(root, leftOut, budget);
  const { words, unions } = reader.flatten(schema, at);
  for (const union of unions) leftOut.add(union.at, '');
  const book = new RuleBook(prefix, budget);
  if (words['enum'] !== undefined) {
    const made = choiceRules(book, listed(words, new ValueFits(reader), at));
    if (!made) leftOut.add(at, listWordOf(schema));
    return made;
  }
  const text = formed(book, words, at, leftOut);
  if (text) return { ...embeddedRules(book, text), open: false };
  return lengthRules(book, lengthOf(words, at));
}

/** Null = any length. */
function lengthRules(book: RuleBook, { min, max }: ReturnType<typeof lengthOf>): PlainTextRules | null {
  if (min === 0 && max === null) return null;
  return { ...embeddedRules(book, ofLength(min, max ?? min)), open: max === null };
}

/** Texts of patterns and formats; null = none, or none without forbidden characters. */
function formed(book: RuleBook, words: Words, at: string, leftOut: LeftOut): Expr | null {
  const form = textForm(words, at, EDGE_CHARS, leftOut);
  if (!form) return null;
  const text = form.machine && automatonRules(book, form.machine, chars);
  if (!text) for (const word of ['pattern', 'format']) if (word in words) leftOut.add(at, word);
  return text;
}

/** The listed texts that the rest of the schema allows. */
function listed(words: Words, fits: ValueFits, at: string): readonly string[] {
  const { enum: _, ...others } = words;
  const values = (listOf(words, 'enum', at) ?? []).filter((value) => typeof value === 'string');
  return values.filter((text) => fits.fitsWords(text, others, at));
}

/** The keyword with which a schema lists its values. */
const listWordOf = (schema: unknown): string => (isRecord(schema) && 'const' in schema ? 'const' : 'enum');

/** One of the texts that can be written; null = none. */
function choiceRules(book: RuleBook, texts: readonly string[]): PlainTextRules | null {
  const writable = texts.filter((text) => !UNWRITABLE.test(text));
  if (writable.length === 0 && texts.length > 0) return null;
  return { ...embeddedRules(book, textChoice(book, writable)), open: false };
}

/** `min` to `max` characters. */
function ofLength(min: number, max: number): Expr {
  if (min > max) return NEVER;
  const longer = max < 2 ? NEVER : seq(EDGE, repeat(INNER, Math.max(min - 2, 0), max - 2), EDGE);
  return alt(...(min === 0 ? [EMPTY] : []), ...(min <= 1 && max >= 1 ? [EDGE] : []), longer);
}
