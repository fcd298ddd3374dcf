/** A regular expression in JavaScript's words. */
export interface PlainRegex {
  readonly source: string;
  /** Of `i` and `s`. */
  readonly flags: string;
}

/** Flags that Python, Go and Rust write before an expression, and that JavaScript has behind it. Texts are Unicode anyway. */
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

/** The same as JavaScript matches it, with the flag `u` where it is valid with it; null = it is none that JavaScript knows. */
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
