const NUMBER_DIGITS = 4;
const TIME_DIGITS = 9;

/** Characters of a token. */
export const TOKEN_CHARS = NUMBER_DIGITS + TIME_DIGITS + 3;
/** Begins a token; it occurs nowhere else in an answer. */
export const TOKEN_MARK = '<';

/** A token of a paced stream: which one it is, and when it was due. */
export interface Token {
  /** Position in its stream; the first is 0. */
  readonly n: number;
  /** On the machine's clock, in microseconds. */
  readonly dueUs: number;
}

/** A token as text of 16 characters, about what four real ones take. */
export const writeToken = ({ n, dueUs }: Token): string =>
  `${TOKEN_MARK}${n.toString(36).padStart(NUMBER_DIGITS, '0')}.${Math.round(dueUs).toString(36).padStart(TIME_DIGITS, '0')}>`;

/** The token that begins at `at`, of which all characters are there; null where something else stands. */
export function readToken(text: string, at: number): Token | null {
  if (text[at] !== TOKEN_MARK || text[at + 1 + NUMBER_DIGITS] !== '.' || text[at + TOKEN_CHARS - 1] !== '>') return null;
  const n = Number.parseInt(text.slice(at + 1, at + 1 + NUMBER_DIGITS), 36);
  const dueUs = Number.parseInt(text.slice(at + 2 + NUMBER_DIGITS, at + TOKEN_CHARS - 1), 36);
  return Number.isNaN(n) || Number.isNaN(dueUs) ? null : { n, dueUs };
}
