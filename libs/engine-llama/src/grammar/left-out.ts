/** Collects the assertions of a schema that its grammar does not hold. */
export class LeftOut {
  readonly #places = new Set<string>();

  /** @param at the schema that asserts it, as `#/…`; without a word all of it. */
  add(at: string, word: string): void {
    const place = at.replace(/^#/, '');
    this.#places.add(word === '' ? place || '/' : `${place}/${word}`);
  }

  /** JSON pointers. */
  get places(): readonly string[] {
    return [...this.#places];
  }
}
