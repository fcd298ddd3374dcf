/** Collects the assertions of a schema that its grammar does not enforce. */
export class LeftOut {
  readonly #places = new Set<string>();

  /** @param at pointer of the schema, as `#/…`; without a word the whole schema. */
  add(at: string, word: string): void {
    const place = at.replace(/^#/, '');
    this.#places.add(word === '' ? place || '/' : `${place}/${word}`);
  }

  /** JSON pointers. */
  get places(): readonly string[] {
    return [...this.#places];
  }
}
