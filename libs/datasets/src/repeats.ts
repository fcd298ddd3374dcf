const PARTITION_BITS = 12;
const PARTITIONS = 1 << PARTITION_BITS;
const WORDS = 3;
const FIRST_SLOTS = 8;
const FULLEST = 0.8;
const GROWTH = 1.25;
/** Marks an entry of a whole example; entries of prompts hold 24 bits of their first answer's hash. */
const WHOLE = 0xffffff;

/** What a prompt and its answer are to those before them. */
export type Repeat = 'new' | 'duplicate' | 'conflict';

function mixed(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  return (h ^ (h >>> 15)) >>> 0;
}

/** Entries of which the upper bits of the hash are equal: an open-addressing table of three words an entry. */
class Partition {
  private words = new Uint32Array(FIRST_SLOTS * WORDS);
  private slots = FIRST_SLOTS;
  private size = 0;

  /** Index of the entry's words: where it is, or where it would go. An entry is free where its line is 0. */
  find(low: number, high: number, isWhole: boolean): number {
    const { words, slots } = this;
    let slot = Math.floor((mixed(low) / 0x1_0000_0000) * slots);
    for (;;) {
      const at = slot * WORDS;
      if (words[at + 2] === 0) return at;
      const extra = words[at + 1] as number;
      if (words[at] === low && extra >>> 24 === high && ((extra & WHOLE) === WHOLE) === isWhole) return at;
      slot = slot + 1 === slots ? 0 : slot + 1;
    }
  }

  line(at: number): number {
    return this.words[at + 2] as number;
  }

  answer(at: number): number {
    return (this.words[at + 1] as number) & WHOLE;
  }

  /** Fills the free entry at `at`. */
  put(at: number, low: number, extra: number, line: number): void {
    this.words[at] = low;
    this.words[at + 1] = extra;
    this.words[at + 2] = line;
    this.size += 1;
    if (this.size > this.slots * FULLEST) this.grow();
  }

  private grow(): void {
    const old = this.words;
    this.slots = Math.ceil(this.slots * GROWTH) + 1;
    this.words = new Uint32Array(this.slots * WORDS);
    for (let from = 0; from < old.length; from += WORDS) {
      if (old[from + 2] === 0) continue;
      const extra = old[from + 1] as number;
      const at = this.find(old[from] as number, extra >>> 24, (extra & WHOLE) === WHOLE);
      this.words.set(old.subarray(from, from + WORDS), at);
    }
  }
}

/**
 * Finds repeated prompts and examples by their hashes. 12 bytes an entry: one for each prompt, and one more for each further answer to
 * it; grows in small steps. 52 of the 64 bits are kept, so the odds that two of 3 million different prompts are taken for one are 1 in
 * 1,000. A secret decides the places, so that no file can be made that fills one place.
 */
export class RepeatTable {
  /** Line of the earlier example, after `duplicate` and `conflict`. */
  first = 0;
  private readonly partitions = Array.from({ length: PARTITIONS }, () => new Partition());

  constructor(private readonly secret: number = Math.floor(Math.random() * 0x1_0000_0000)) {}

  /** Adds an example by the halves of its two hashes. `line` is at least 1. */
  add(prompt: { high: number; low: number }, whole: { high: number; low: number }, line: number): Repeat {
    const answer = Math.min(whole.low & WHOLE, WHOLE - 1);
    const first = this.entry(prompt.high, prompt.low, false, answer, line);
    if (first === null) return 'new';
    this.first = first.line;
    if (first.answer === answer) return 'duplicate';
    const repeated = this.entry(whole.high, whole.low, true, WHOLE, line);
    if (repeated === null) return 'conflict';
    this.first = repeated.line;
    return 'duplicate';
  }

  /** The entry of a hash; null = it was not there and now is. */
  private entry(high: number, low: number, isWhole: boolean, answer: number, line: number): { line: number; answer: number } | null {
    // Both steps can be undone: no bits are lost.
    const keyedLow = (low ^ this.secret) >>> 0;
    const keyedHigh = (high ^ mixed(keyedLow)) >>> 0;
    const partition = this.partitions[keyedHigh >>> (32 - PARTITION_BITS)] as Partition;
    const rest = keyedHigh & 0xff;
    const at = partition.find(keyedLow, rest, isWhole);
    if (partition.line(at) !== 0) return { line: partition.line(at), answer: partition.answer(at) };
    partition.put(at, keyedLow, ((rest << 24) | answer) >>> 0, line);
    return null;
  }
}
