/** A half that stands alone. */
const LONE_HALF = /\p{Surrogate}/u;

/** Joins halves of surrogate pairs that JSON escapes can spread over two chunks, and drops lone ones. */
export class WholeCharacters {
  #half = '';

  push(text: string): string {
    if (this.#half === '' && !LONE_HALF.test(text)) return text;
    const all = this.#half + text;
    this.#half = /[\uD800-\uDBFF]$/.exec(all)?.[0] ?? '';
    const whole = this.#half === '' ? all : all.slice(0, -1);
    return whole.replaceAll(/\p{Surrogate}/gu, '');
  }
}

/** How far a stop string is matched: `fail[i]` = length of the longest proper prefix that ends the first i characters. */
class StopString {
  #matched = 0;
  readonly #fail: Int32Array;

  constructor(readonly text: string) {
    this.#fail = new Int32Array(text.length + 1);
    let border = 0;
    for (let i = 1; i < text.length; i += 1) {
      while (border > 0 && text[i] !== text[border]) border = this.#fail[border] ?? 0;
      if (text[i] === text[border]) border += 1;
      this.#fail[i + 1] = border;
    }
  }

  /** Characters of the stop string that the text ends with. */
  get matched(): number {
    return this.#matched;
  }

  /** What comes next has nothing to do with what came. */
  reset(): void {
    this.#matched = 0;
  }

  /** Takes one more character. @returns whether the stop string is complete. */
  step(char: string): boolean {
    while (this.#matched > 0 && this.text[this.#matched] !== char) this.#matched = this.#fail[this.#matched] ?? 0;
    if (this.text[this.#matched] === char) this.#matched += 1;
    return this.#matched === this.text.length;
  }
}

/** What a piece of text gives away. */
export interface StopMatch {
  /** Text that is certainly no part of a stop string. */
  readonly text: string;
  /** The stop string that ended the text, or null. */
  readonly stop: string | null;
}

/**
 * Finds stop strings in text that arrives in pieces, and holds back what may become one. The stop string that is
 * complete first wins, of several at the same character the longest; the pieces do not matter. Linear in the text.
 */
export class StopMatcher {
  readonly #stops: StopString[];
  #held = '';

  constructor(stops: readonly string[]) {
    // A string with half a surrogate pair cannot occur in well-formed text; matching it could cut a character in two.
    this.#stops = stops.filter((stop) => stop.length > 0 && !/\p{Surrogate}/u.test(stop)).map((stop) => new StopString(stop));
  }

  /** Adds text. After a match nothing may be added. */
  push(text: string): StopMatch {
    if (this.#stops.length === 0) return { text, stop: null };
    const all = this.#held + text;
    for (let i = 0; i < text.length; i += 1) {
      const stop = this.#step(text[i] ?? '');
      if (stop === null) continue;
      const end = this.#held.length + i + 1;
      this.#held = '';
      return { text: all.slice(0, end - stop.length), stop };
    }
    const keep = this.#stops.reduce((longest, stop) => Math.max(longest, stop.matched), 0);
    this.#held = all.slice(all.length - keep);
    return { text: all.slice(0, all.length - keep), stop: null };
  }

  /** Characters that are held back. */
  get held(): number {
    return this.#held.length;
  }

  /** The text is over. @returns what was held back. */
  flush(): string {
    const held = this.#held;
    this.#held = '';
    for (const stop of this.#stops) stop.reset();
    return held;
  }

  #step(char: string): string | null {
    let complete: string | null = null;
    for (const stop of this.#stops) {
      if (stop.step(char) && stop.text.length > (complete?.length ?? 0)) complete = stop.text;
    }
    return complete;
  }
}
