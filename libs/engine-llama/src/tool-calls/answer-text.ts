/** A step of reading: it is suspended wherever the text goes on with what has not been generated yet. */
export type Reading<T> = Generator<undefined, T, undefined>;

/** Characters that have been read and are kept, before they are let go. */
const COMPACT_CHARS = 65_536;

/**
 * The text of an answer as those who read it see it: in one piece, however it arrived. Positions count from its beginning.
 */
export class AnswerText {
  #text = '';
  /** Position of the first character of `#text`. */
  #base = 0;
  #at = 0;
  #kept: number | null = null;
  #over = false;

  /** More was generated. */
  add(piece: string): void {
    this.#compact();
    this.#text += piece;
  }

  /** Nothing more comes. */
  end(): void {
    this.#over = true;
  }

  get at(): number {
    return this.#at;
  }

  /** Characters that nobody was given yet. */
  get held(): number {
    return this.#base + this.#text.length - (this.#kept ?? this.#at);
  }

  /** From `position` on the text may have to be read again. */
  keep(position: number): void {
    this.#kept = position;
  }

  /** What was kept has been understood. */
  release(): void {
    this.#kept = null;
  }

  /** Reads on from `position`, which was kept. */
  rewind(position: number): void {
    this.#at = position;
    this.#kept = null;
  }

  /** The next character, which stays; '' at the end. */
  *peek(): Reading<string> {
    while (this.#rest === 0 && !this.#over) yield;
    return this.#text.charAt(this.#at - this.#base);
  }

  /** The next character; '' at the end. */
  *next(): Reading<string> {
    const char = yield* this.peek();
    this.#at += char.length;
    return char;
  }

  *skipSpace(): Reading<void> {
    while (/^\s$/.test(yield* this.peek())) this.#at += 1;
  }

  /** Takes this text if it comes next. */
  *literal(expected: string): Reading<boolean> {
    for (;;) {
      const got = this.#slice(this.#at, this.#at + expected.length);
      if (!expected.startsWith(got) || (this.#over && got.length < expected.length)) return false;
      if (got.length === expected.length) break;
      yield;
    }
    this.#at += expected.length;
    return true;
  }

  /** Takes characters as long as they match. At most `most`; then, and at the end of the text, null. */
  *word(matching: RegExp, most: number): Reading<string | null> {
    let word = '';
    for (;;) {
      const char = yield* this.peek();
      if (char === '' || word.length > most) return null;
      if (!matching.test(char)) return word;
      word += char;
      this.#at += 1;
    }
  }

  /** Takes what `more` says, the character that it refuses included. Each piece goes out as soon as it is there. */
  *scan(more: (char: string) => boolean, piece: (text: string) => void): Reading<boolean> {
    for (;;) {
      const from = this.#at;
      let going = true;
      while (going && this.#rest > 0) {
        going = more(this.#text.charAt(this.#at - this.#base));
        this.#at += 1;
      }
      if (this.#at > from) piece(this.#slice(from, this.#at));
      if (!going) return true;
      if (this.#over) return false;
      yield;
    }
  }

  /**
   * Takes the text before the first of the marks, and the mark. What certainly is no part of a mark goes out at once.
   * @param beginnings whether the beginning of a mark goes out too when the text ends there.
   * @returns the mark; null = the text ended without one.
   */
  *until(marks: readonly string[], piece: (text: string) => void, beginnings = true): Reading<string | null> {
    for (;;) {
      const found = this.#firstOf(marks);
      if (found) {
        this.#give(found.at, piece);
        this.#at += found.mark.length;
        return found.mark;
      }
      const end = this.#base + this.#text.length;
      this.#give(this.#over && beginnings ? end : end - this.#beginnings(marks), piece);
      if (this.#over) return null;
      yield;
    }
  }

  get #rest(): number {
    return this.#base + this.#text.length - this.#at;
  }

  #slice(from: number, to: number): string {
    return this.#text.slice(from - this.#base, to - this.#base);
  }

  #give(end: number, piece: (text: string) => void): void {
    if (end > this.#at) piece(this.#slice(this.#at, end));
    this.#at = end;
  }

  #firstOf(marks: readonly string[]): { at: number; mark: string } | null {
    let first: { at: number; mark: string } | null = null;
    for (const mark of marks) {
      const at = this.#text.indexOf(mark, this.#at - this.#base);
      if (at >= 0 && (first === null || at + this.#base < first.at)) first = { at: at + this.#base, mark };
    }
    return first;
  }

  /** Characters at the end that a mark may begin with. */
  #beginnings(marks: readonly string[]): number {
    let longest = 0;
    for (const mark of marks) {
      for (let length = Math.min(mark.length - 1, this.#rest); length > longest; length -= 1) {
        if (this.#text.endsWith(mark.slice(0, length))) longest = length;
      }
    }
    return longest;
  }

  #compact(): void {
    const from = Math.min(this.#kept ?? this.#at, this.#at);
    if (from - this.#base < COMPACT_CHARS) return;
    this.#text = this.#text.slice(from - this.#base);
    this.#base = from;
  }
}
