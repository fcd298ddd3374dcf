/** A regular expression in JavaScript's syntax. */
export interface PlainRegex {
  readonly source: string;
  /** Flags: `i` and `s`. */
  readonly flags: string;
}

/** Flags before an expression in Python, Go and Rust. Texts are always Unicode. */
const FLAGS = /^\(\?([isu]+)\)/;
/** Escapes, groups with a name, and other characters. */
const PIECES = /\\[^]|\(\?P<|[^]/gu;
const ENDS: ReadonlyMap<string, string> = new Map([
  ['\\A', '^'],
  ['\\Z', '$'],
  ['\\z', '$'],
  ['(?P<', '(?<'],
]);

/**
 * The expression with what Python, RE2 and Rust spell in their own way and JavaScript can say exactly: flags at the
 * beginning, `(?P<name>…)`, `\A`, `\Z` and `\z`.
 */
export function inJavaScript(pattern: string): PlainRegex {
  const [before = '', letters = ''] = FLAGS.exec(pattern) ?? [];
  let inClass = false;
  const source = pattern.slice(before.length).replaceAll(PIECES, (piece) => {
    if (inClass) inClass = piece !== ']';
    else if (piece === '[') inClass = true;
    else return ENDS.get(piece) ?? piece;
    return piece;
  });
  return { source, flags: [...new Set(letters)].filter((letter) => letter !== 'u').join('') };
}

/** The expression in JavaScript, with the flag `u` where valid; null = invalid. */
export function regExpOf(pattern: string): RegExp | null {
  const { source, flags } = inJavaScript(pattern);
  for (const unicode of ['u', '']) {
    try {
      return new RegExp(source, flags + unicode);
    } catch {
      // Some expressions are only valid without the flag.
    }
  }
  return null;
}
