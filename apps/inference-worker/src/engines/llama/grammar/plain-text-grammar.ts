import { charsOf, complement, intersect } from './char-set.js';
import { alt, chars, EMPTY, type EmbeddedRules, type Expr, isNever, NEVER, repeat, seq } from './gbnf.js';
import { embeddedRules } from './json-schema-grammar.js';
import { anywhereMatch } from './regex-grammar.js';
import { RuleBook } from './rule-book.js';
import { assertions, countOf, isRecord, listOf, textOf, unsupportedSchema, type Words } from './schema-words.js';
import { FORMAT_NAMES, formatText } from './string-format.js';
import { textChoice } from './text-choice.js';

/** Every mark that ends a text begins with it, so a text without it holds no mark. */
const MARK = charsOf('<');
const INNER = chars(complement(MARK));
/** Line breaks at both ends of a text belong to the form in which it is written. */
const EDGE_CHARS = complement(charsOf('<\n'));
const EDGE = chars(EDGE_CHARS);

/** Keywords that combine schemas, so that they may speak about strings too. */
const COMBINING: readonly string[] = ['$ref', 'allOf', 'anyOf', 'oneOf', 'nullable'];

export interface PlainTextRules extends EmbeddedRules {
  /** Whether any text may stand behind what `root` matches. */
  readonly open: boolean;
}

/**
 * GBNF rules for strings of a schema that are written as they are, without quotes, up to a mark that begins with `<`.
 * What comes out always satisfies the schema. Bounded and patterned texts hold no `<`, those of a pattern no line break.
 * @param at the schema's place, for messages.
 * @returns null where any text is one.
 * @throws ServiceError as `jsonSchemaRules` does.
 */
export function plainTextRules(schema: unknown, prefix: string, at: string): PlainTextRules | null {
  const words = isRecord(schema) ? assertions(schema, at) : {};
  const combining = COMBINING.find((word) => word in words);
  if (combining !== undefined)
    throw unsupportedSchema(`The schema keyword "${combining}" beside those of a text (at ${at}) is not supported.`);
  const lengths = lengthsOf(words, at);
  const { min, max } = lengths;
  const isListed = 'const' in words || 'enum' in words;
  const isFormed = 'pattern' in words || 'format' in words;
  if (!isListed && !isFormed && min === 0 && max === null) return null;
  const open = !isListed && !isFormed && max === null;
  const book = new RuleBook(prefix);
  const bounded = (): Expr => (isFormed ? formed(words, lengths, at) : ofLength(min, max ?? min));
  return { ...embeddedRules(book, isListed ? choice(book, words, lengths, at) : bounded(), 'pattern' in words), open };
}

interface Lengths {
  readonly min: number;
  readonly max: number | null;
}

const lengthsOf = (words: Words, at: string): Lengths => ({
  min: countOf(words, 'minLength', at) ?? 0,
  max: countOf(words, 'maxLength', at) ?? null,
});

function choice(book: RuleBook, words: Words, { min, max }: Lengths, at: string): Expr {
  const other = ['pattern', 'format'].find((word) => word in words);
  if (other !== undefined) throw unsupportedSchema(`The schema keyword "${other}" beside "enum" or "const" (at ${at}) is not supported.`);
  const values = ('const' in words ? [words['const']] : (listOf(words, 'enum', at) ?? [])) as readonly string[];
  const lengthOf = (text: string): number => Array.from(text).length;
  return textChoice(
    book,
    values.filter((text) => lengthOf(text) >= min && lengthOf(text) <= (max ?? Infinity)),
  );
}

function formed(words: Words, { min, max }: Lengths, at: string): Expr {
  if (min > 0 || max !== null)
    throw unsupportedSchema(
      `"minLength" or "maxLength" beside "pattern" or "format" (at ${at}) is not supported: say the length in the pattern.`,
    );
  const [pattern, format = ''] = [textOf(words, 'pattern', at), textOf(words, 'format', at)];
  if (pattern !== undefined) {
    const expr = anywhereMatch(pattern, (set) => chars(intersect(set, EDGE_CHARS)));
    if (isNever(expr)) throw unsupportedSchema(`No text without "<" and line breaks matches the "pattern" (at ${at}), as it must here.`);
    return expr;
  }
  const content = formatText(format);
  if (content !== null) return content;
  const known = FORMAT_NAMES.join(', ');
  throw unsupportedSchema(`The format ${JSON.stringify(format.slice(0, 60))} (at ${at}) is not supported: only ${known} are.`);
}

/** `min` to `max` characters. */
function ofLength(min: number, max: number): Expr {
  if (min > max) return NEVER;
  const longer = max < 2 ? NEVER : seq(EDGE, repeat(INNER, Math.max(min - 2, 0), max - 2), EDGE);
  return alt(...(min === 0 ? [EMPTY] : []), ...(min <= 1 && max >= 1 ? [EDGE] : []), longer);
}
