import type { TokenLogprob } from '@slipway/contracts';

interface Entry {
  readonly logprob: TokenLogprob;
  readonly chars: number;
}

/** Holds the probabilities of tokens back as long as their text is held back. */
export class LogprobLedger {
  #entries: Entry[] = [];

  /** A token was generated that wrote so many characters. */
  add(logprob: TokenLogprob, chars: number): void {
    this.#entries.push({ logprob, chars });
  }

  /** Tokens of which at least a part is out, when `held` characters are not. */
  released(held: number): TokenLogprob[] {
    let keep = this.#entries.length;
    for (let waiting = held; keep > 0 && waiting > 0; keep -= 1) {
      const { chars } = this.#entries[keep - 1] ?? { chars: 0 };
      if (chars > waiting) break;
      waiting -= chars;
    }
    return this.#take(keep);
  }

  /** Tokens of which at least a part is within the next `chars` characters; the others are dropped. */
  within(chars: number): TokenLogprob[] {
    let left = chars;
    const end = this.#entries.findIndex((entry) => {
      if (left <= 0) return true;
      left -= entry.chars;
      return false;
    });
    const taken = this.#take(end < 0 ? this.#entries.length : end);
    this.drop();
    return taken;
  }

  /** What they stand for was no text. */
  drop(): void {
    this.#entries = [];
  }

  #take(count: number): TokenLogprob[] {
    return this.#entries.splice(0, count).map(({ logprob }) => logprob);
  }
}
