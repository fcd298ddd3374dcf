/** A coroutine that reads an answer. It is suspended where more text must be generated. */
export type Reading<T> = Generator<undefined, T, undefined>;

/** Read characters to keep before they are dropped. */
const COMPACT_CHARS = 65_536;

/**
 * The text of an answer as one string, in whatever pieces it arrives. Positions count from its beginning.
 */
export class AnswerText {
  #text = '';
  /** Position of the first character of `#text`. */
  #base = 0;
  #at = 0;
  #kept: number | null = null;
  #over = false;

  /** Adds generated text. */
  add(piece: string): void {
    this.#compact();
    this.#text += piece;
  }

  /** Ends the text. */
  end(): void {
    this.#over = true;
  }

  get at(): number {
    return this.#at;
  }

  /** Characters not passed on yet. */
  get held(): number {
    return this.#base + this.#text.length - (this.#kept ?? this.#at);
  }

  /** Keeps the text from `position` for `rewind`. */
  keep(position: number): void {
    this.#kept = position;
  }

  /** Drops the kept text. */
  release(): void {
    this.#kept = null;
  }

  /** Continues to read at `position`, which was kept. */
  rewind(position: number): void {
    this.#at = position;
    this.#kept = null;
  }

  /** The next character, without taking it; '' at the end. */
  *peek(): Reading<string> {
    while (this.#rest === 0 && !this.#over) yield;
    return this.#text.charAt(this.#at - this.#base);
  }

  /** Takes the next character; '' at the end. */
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

  /** Takes matching characters. @returns null after more than `most`, or at the end of the text. */
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

  /** Takes characters while `more` is true, and the first for which it is false. Passes each piece on at once. */
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
   * Takes the text up to the first mark, and the mark. Text that cannot be part of a mark is passed on at once.
   * @param beginnings whether an incomplete mark at the end of the text is passed on.
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

  /** Length of the longest incomplete mark at the end. */
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
