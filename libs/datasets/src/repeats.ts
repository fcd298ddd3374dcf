const WORDS = 3;
/** Fullest share of slots: a search then takes 3 steps on average, 13 at the end. */
const FULLEST = 0.8;
/** Marks an entry of a whole example; entries of prompts hold 24 bits of their first answer's hash. */
const WHOLE = 0xffffff;

/** The halves of a hash. */
interface Halves {
  readonly high: number;
  readonly low: number;
}

/** What a prompt and its answer are to those before them. */
export type Repeat = 'new' | 'duplicate' | 'conflict';

function mixed(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  return (h ^ (h >>> 15)) >>> 0;
}

/**
 * Finds repeated prompts and examples by their hashes: an open-addressing table of 12 bytes an entry, one for each prompt and one more
 * for each further answer to it. It is made for the most examples that may come and never grows, for growing would need both tables at
 * once. 40 bits of a hash are kept and 32 decide the place, so the odds that among 3 million different prompts two are taken for one are
 * about 1 in 100,000. A secret decides the places, so that no file can be made whose entries all fall on one.
 */
export class RepeatTable {
  /** Line of the earlier example, after `duplicate` and `conflict`. */
  first = 0;
  private readonly slots: number;
  /** In turn: the lower half of the hash; 8 bits of the upper half and 24 of the answer; the line, 0 = free. */
  private readonly words: Uint32Array;
  private line = 0;

  constructor(
    entries: number,
    private readonly secret: number = Math.floor(Math.random() * 0x1_0000_0000),
  ) {
    this.slots = Math.ceil(entries / FULLEST) + 1;
    this.words = new Uint32Array(this.slots * WORDS);
  }

  /** Adds an example by its two hashes. `line` is at least 1. At most as many may be added as the table was made for. */
  add(prompt: Halves, whole: Halves, line: number): Repeat {
    this.line = line;
    const answer = Math.min(whole.low & WHOLE, WHOLE - 1);
    const first = this.entry(prompt, answer);
    if (first < 0) return 'new';
    this.first = this.words[first + 2] as number;
    if (((this.words[first + 1] as number) & WHOLE) === answer) return 'duplicate';
    const repeated = this.entry(whole, WHOLE);
    if (repeated < 0) return 'conflict';
    this.first = this.words[repeated + 2] as number;
    return 'duplicate';
  }

  /** Index of the words of a hash's entry; -1 = it was not there and now is. */
  private entry({ high, low }: Halves, answer: number): number {
    const { words, slots } = this;
    const kept = (low ^ this.secret) >>> 0;
    // Reversible for each `low`: no bits are lost.
    const place = (high ^ mixed(kept)) >>> 0;
    const extra = (((place & 0xff) << 24) | answer) >>> 0;
    let slot = Math.floor((place / 0x1_0000_0000) * slots);
    for (;;) {
      const at = slot * WORDS;
      if (words[at + 2] === 0) {
        words[at] = kept;
        words[at + 1] = extra;
        words[at + 2] = this.line;
        return -1;
      }
      if (words[at] === kept && isSame(words[at + 1] as number, extra)) return at;
      slot = slot + 1 === slots ? 0 : slot + 1;
    }
  }
}

/** Whether two entries are of the same kind and agree in the bits of the upper half. */
const isSame = (a: number, b: number): boolean => a >>> 24 === b >>> 24 && ((a & WHOLE) === WHOLE) === ((b & WHOLE) === WHOLE);
