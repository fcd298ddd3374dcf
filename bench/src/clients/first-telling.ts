/** Begins what repeats the text of a stream of the responses contract. */
const REPEATS = 'event: response.output_text.done';

/** Leaves out what a stream of the responses contract repeats at its end. */
export class FirstTelling {
  #tail = '';
  #isOver = false;

  /** @returns the part of a piece that tells something new */
  take(piece: string): string {
    if (this.#isOver) return '';
    const before = this.#tail.length;
    const text = this.#tail + piece;
    const at = text.indexOf(REPEATS);
    this.#isOver = at >= 0;
    this.#tail = text.slice(-REPEATS.length);
    return at < 0 ? piece : piece.slice(0, Math.max(0, at - before));
  }
}
