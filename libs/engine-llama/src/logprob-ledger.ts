import type { TokenLogprob } from '@slipway/contracts';

interface Entry {
  readonly logprob: TokenLogprob;
  readonly chars: number;
}

/**
 * Keeps the log probability of each token until it is known whether the token's characters are text. Entries and
 * characters have the same order, so the last `held` characters always belong to the last entries.
 */
export class LogprobLedger {
  #entries: Entry[] = [];

  /** Whether no token is recorded. */
  get empty(): boolean {
    return this.#entries.length === 0;
  }

  /** Records a token and the number of characters it wrote: 0 while its character is incomplete. */
  add(logprob: TokenLogprob, chars: number): void {
    this.#entries.push({ logprob, chars });
  }

  /**
   * Tokens of which at least one character is among the last `chars` characters that are not held. Tokens before these wrote
   * marks and are dropped.
   */
  released(chars: number, held: number): TokenLogprob[] {
    if (chars === 0) this.drop(held);
    if (chars === 0) return [];
    const [end, over] = this.#heldFrom(held);
    let from = end;
    for (let left = chars + over; from > 0 && (left > 0 || this.#charsOf(from - 1) === 0); from -= 1) left -= this.#charsOf(from - 1);
    return this.#take(end).slice(from);
  }

  /** Tokens of which at least one character is among the next `chars` characters. All others are dropped. */
  within(chars: number): TokenLogprob[] {
    let left = chars;
    const end = this.#entries.findIndex((entry) => {
      if (left <= 0) return true;
      left -= entry.chars;
      return false;
    });
    const taken = this.#take(end < 0 ? this.#entries.length : end);
    this.#entries = [];
    return taken;
  }

  /** Drops the tokens that are not held: they wrote no text. Tokens of an incomplete character stay. */
  drop(held: number): void {
    const [index, over] = this.#heldFrom(held);
    let end = over > 0 ? index - 1 : index;
    while (end > 0 && this.#charsOf(end - 1) === 0) end -= 1;
    this.#entries.splice(0, end);
  }

  /** Removes and returns what is left. */
  rest(): TokenLogprob[] {
    return this.#take(this.#entries.length);
  }

  /** Index of the first entry that is held whole, and how many characters of the entry before it are held. */
  #heldFrom(held: number): [index: number, over: number] {
    let index = this.#entries.length;
    let waiting = held;
    for (; index > 0 && waiting > 0; index -= 1) {
      const chars = this.#charsOf(index - 1);
      if (chars > waiting) break;
      waiting -= chars;
    }
    return [index, waiting];
  }

  #charsOf(index: number): number {
    return this.#entries[index]?.chars ?? 0;
  }

  #take(count: number): TokenLogprob[] {
    return this.#entries.splice(0, count).map(({ logprob }) => logprob);
  }
}
