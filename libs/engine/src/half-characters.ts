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
