import type { AnswerText, Reading } from './answer-text.js';
import { parsed } from './json-reading.js';

/** Format of values that are nearly JSON. */
export interface LiteralForm {
  /** Mark around texts; null = Python's quotes. JSON's quotes are always read. */
  readonly quote: string | null;
}

/** Literals as in Python. */
export const PYTHON_LITERALS: LiteralForm = { quote: null };

const WORDS: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' };
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '0': '\0', '\n': '' };
const LONGEST_WORD = 4_096;
const DEEPEST = 64;

/** Reads a value. @returns its JSON text; null = invalid. */
export function* readLiteral(text: AnswerText, form: LiteralForm, depth = 0): Reading<string | null> {
  if (depth > DEEPEST) return null;
  const string = yield* readText(text, form);
  if (string !== null) return string.whole ? JSON.stringify(string.value) : null;
  if (yield* text.literal('[')) return yield* readList(text, form, depth);
  if (yield* text.literal('{')) return yield* readDict(text, form, depth);
  const word = (yield* text.word(/[^\s,:=()[\]{}]/, LONGEST_WORD)) ?? '';
  if (word === '') return null;
  const json = WORDS[word] ?? word;
  return parsed(json) === undefined ? JSON.stringify(word) : json;
}

interface ReadText {
  readonly value: string;
  readonly whole: boolean;
}

/** Reads a text. @returns null when none begins here. */
function* readText(text: AnswerText, { quote }: LiteralForm): Reading<ReadText | null> {
  if (quote !== null && (yield* text.literal(quote))) {
    let value = '';
    const end = yield* text.until([quote], (piece) => (value += piece));
    return { value, whole: end !== null };
  }
  const mark = yield* text.peek();
  if (mark !== '"' && (mark !== "'" || quote !== null)) return null;
  yield* text.next();
  let value = '';
  for (;;) {
    const char = yield* text.next();
    if (char === '' || char === mark) return { value, whole: char !== '' };
    value += char === '\\' ? yield* readEscape(text) : char;
  }
}

function* readEscape(text: AnswerText): Reading<string> {
  const char = yield* text.next();
  const digits = { x: 2, u: 4, U: 8 }[char];
  if (digits === undefined) return ESCAPES[char] ?? (/[\\'"/]/.test(char) ? char : `\\${char}`);
  let hex = '';
  while (hex.length < digits && /[0-9a-fA-F]/.test(yield* text.peek())) hex += yield* text.next();
  const code = Number.parseInt(hex, 16);
  return hex.length === digits && code <= 0x10ffff ? codeText(code) : `\\${char}${hex}`;
}

/** Joins the two halves of a surrogate pair. */
const codeText = (code: number): string => (code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code));

function* readList(text: AnswerText, form: LiteralForm, depth: number): Reading<string | null> {
  const items: string[] = [];
  for (;;) {
    yield* text.skipSpace();
    if (yield* text.literal(']')) return `[${items.join(', ')}]`;
    const item = yield* readLiteral(text, form, depth + 1);
    if (item === null) return null;
    items.push(item);
    yield* text.skipSpace();
    if (!(yield* text.literal(',')) && (yield* text.peek()) !== ']') return null;
  }
}

function* readDict(text: AnswerText, form: LiteralForm, depth: number): Reading<string | null> {
  const members: string[] = [];
  for (;;) {
    yield* text.skipSpace();
    if (yield* text.literal('}')) return `{${members.join(', ')}}`;
    const quoted = yield* readText(text, form);
    const key = quoted ? quoted.value : yield* text.word(/[^:}\n]/, LONGEST_WORD);
    yield* text.skipSpace();
    if (key === null || key === '' || !(yield* text.literal(':'))) return null;
    yield* text.skipSpace();
    const value = yield* readLiteral(text, form, depth + 1);
    if (value === null) return null;
    members.push(`${JSON.stringify(key)}: ${value}`);
    yield* text.skipSpace();
    if (!(yield* text.literal(',')) && (yield* text.peek()) !== '}') return null;
  }
}
