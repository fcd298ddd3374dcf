/** Drops the beginning of an answer that a server repeats before it goes on with it; an answer without it stays whole. */
export class EchoStripper {
  #held = '';
  #over: boolean;

  /** @param echo the beginning; '' = nothing is repeated. */
  constructor(private readonly echo: string) {
    this.#over = echo === '';
  }

  /** @returns what is certainly no part of the repetition. */
  push(text: string): string {
    if (this.#over) return text;
    const all = this.#held + text;
    if (all.length < this.echo.length && this.echo.startsWith(all)) {
      this.#held = all;
      return '';
    }
    this.#over = true;
    this.#held = '';
    return all.startsWith(this.echo) ? all.slice(this.echo.length) : all;
  }

  /** The text is over. @returns what was held back. */
  flush(): string {
    const held = this.#held;
    this.#held = '';
    this.#over = true;
    return held;
  }
}
