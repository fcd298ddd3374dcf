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

/** Every mark that ends a text begins with it, so a text without it holds no mark. */
const INNER = chars(complement(charsOf('<')));
/** Line breaks at both ends of a text belong to the form in which it is written. */
const EDGE_CHARS = complement(charsOf('<\n'));
const EDGE = chars(EDGE_CHARS);

export interface PlainTextRules extends EmbeddedRules {
  /** Whether any text may stand behind what `root` matches. */
  readonly open: boolean;
}

/**
 * GBNF rules for strings of a schema that are written as they are, without quotes, up to a mark that begins with `<`.
 * What comes out satisfies the schema, but for what is left out. Bounded and patterned texts hold no `<`, those of a pattern no line
 * break.
 * @returns null where any text is one.
 * @throws ServiceError as `jsonSchemaRules` does.
 */
export function plainTextRules(schema: unknown, prefix: string, place: SchemaPlace = {}): PlainTextRules | null {
  const { root = schema, at = '#', budget = new CompileBudget(), leftOut = new LeftOut() } = place;
  const reader = new SchemaReader(root, leftOut, budget);
  const { words, unions } = reader.flatten(schema, at);
  for (const union of unions) leftOut.add(union.at, '');
  const book = new RuleBook(prefix, budget);
  if (words['enum'] !== undefined) return { ...embeddedRules(book, listed(book, words, new ValueFits(reader), at)), open: false };
  const text = formed(book, words, at, leftOut);
  if (text) return { ...embeddedRules(book, text), open: false };
  const { min, max } = lengthOf(words, at);
  if (min === 0 && max === null) return null;
  return { ...embeddedRules(book, ofLength(min, max ?? min)), open: max === null };
}

/** Texts of patterns and formats; null = there are none, or none without the characters that may not stand here. */
function formed(book: RuleBook, words: Words, at: string, leftOut: LeftOut): Expr | null {
  const form = textForm(words, at, EDGE_CHARS, leftOut);
  if (!form) return null;
  const text = form.machine && automatonRules(book, form.machine, chars);
  if (!text) for (const word of ['pattern', 'format']) if (word in words) leftOut.add(at, word);
  return text;
}

function listed(book: RuleBook, words: Words, fits: ValueFits, at: string): Expr {
  const { enum: _, ...others } = words;
  const values = (listOf(words, 'enum', at) ?? []).filter((value) => typeof value === 'string');
  return textChoice(
    book,
    values.filter((text) => fits.fitsWords(text, others, at)),
  );
}

/** `min` to `max` characters. */
function ofLength(min: number, max: number): Expr {
  if (min > max) return NEVER;
  const longer = max < 2 ? NEVER : seq(EDGE, repeat(INNER, Math.max(min - 2, 0), max - 2), EDGE);
  return alt(...(min === 0 ? [EMPTY] : []), ...(min <= 1 && max >= 1 ? [EDGE] : []), longer);
}
