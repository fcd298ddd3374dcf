import { ServiceError } from '@slipway/contracts';

/** U+FDD0 to U+FDEF: noncharacters that Unicode reserves for internal use, so that valid text does not contain them. */
const MARKS = Array.from({ length: 32 }, (_, i) => String.fromCharCode(0xfdd0 + i));

/** Occurrences of a mark in rendered text, including its JSON escape. */
const placesOf = (mark: string): RegExp => new RegExp(`${mark}|\\\\u${mark.charCodeAt(0).toString(16)}`, 'gi');

function unusedMark(texts: readonly string[]): string {
  const mark = MARKS.find((candidate) => {
    const places = placesOf(candidate);
    return !texts.some((text) => text.search(places) >= 0);
  });
  if (mark !== undefined) return mark;
  throw new ServiceError('invalid_unicode', 'The messages use all noncharacters of Unicode.', { param: 'messages' });
}

interface TrieNode {
  readonly next: Map<string, TrieNode>;
  whole: boolean;
}

const emptyNode = (): TrieNode => ({ next: new Map(), whole: false });

/** A text of users. `edges` = the template's own text may be adjacent to it. */
export interface UserText {
  readonly text: string;
  readonly edges: boolean;
}

/** Texts of users with marks inside control tokens. */
export interface GuardedTexts {
  readonly texts: readonly string[];
  /** Splits rendered text at the marks and removes them. The parts must be tokenized separately. */
  readonly split: (rendered: string) => string[];
}

/**
 * Keeps users from writing control tokens. A chat template mixes its control tokens with the text of users, and the tokenizer cannot
 * distinguish them. So the guard puts a mark into every control token in the users' text, the template renders the marked text (which
 * it can still trim, split and compare), and the result is split at the marks: a control token split in two is plain text for the
 * tokenizer. Text without control tokens is rendered and tokenized unchanged.
 */
export class ControlTokenGuard {
  readonly #tokens = emptyNode();
  /** Beginnings and ends of control tokens, which adjacent text of the template could complete. */
  readonly #heads = new Set<string>();
  readonly #tails = new Set<string>();
  readonly #texts: readonly string[];
  #longest = 0;

  constructor(controlTexts: readonly string[]) {
    this.#texts = controlTexts.filter((text) => text.length > 1);
    for (const text of this.#texts) this.#add(text);
  }

  guard(texts: readonly UserText[]): GuardedTexts {
    const plain = texts.map(({ text }) => text);
    const cuts = texts.map(({ text, edges }) => this.#cutsIn(text, edges));
    if (cuts.every((list) => list.length === 0)) return { texts: plain, split: (rendered) => [rendered] };
    const mark = unusedMark(plain);
    const marked = plain.map((text, i) => insertAt(text, cuts[i] ?? [], mark));
    return { texts: marked, split: (rendered) => rendered.split(placesOf(mark)).filter((part) => part !== '') };
  }

  /** Whether `position` is inside a control token of `text`. */
  isInside(text: string, position: number): boolean {
    for (let start = Math.max(0, position - this.#longest + 1); start < position; start += 1) {
      if (start + this.#longestAt(text, start) > position) return true;
    }
    return false;
  }

  #add(text: string): void {
    this.#longest = Math.max(this.#longest, text.length);
    let node = this.#tokens;
    for (let i = 0; i < text.length; i += 1) {
      const char = text.charAt(i);
      const next = node.next.get(char) ?? emptyNode();
      node.next.set(char, next);
      node = next;
      if (i > 0) this.#heads.add(text.slice(0, i));
      if (i > 0) this.#tails.add(text.slice(i));
    }
    node.whole = true;
  }

  /** Length of the longest control token that starts at `position`, 0 without one. */
  #longestAt(text: string, position: number): number {
    let longest = 0;
    let node = this.#tokens.next.get(text.charAt(position));
    for (let length = 1; node; length += 1) {
      if (node.whole) longest = length;
      node = node.next.get(text.charAt(position + length));
    }
    return longest;
  }

  /** Ascending positions of marks: one character into every control token. */
  #cutsIn(text: string, edges: boolean): number[] {
    const cuts = new Set<number>();
    for (const first of this.#tokens.next.keys()) {
      for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, at + 1)) {
        if (this.#longestAt(text, at) > 0) cuts.add(at + 1);
      }
    }
    if (edges) this.#addEdgeCuts(text, cuts);
    return [...cuts].toSorted((a, b) => a - b);
  }

  /** Adds marks at both edges, ignoring white space, because templates trim. */
  #addEdgeCuts(text: string, cuts: Set<number>): void {
    const end = text.trimEnd().length;
    const start = text.length - text.trimStart().length;
    const core = text.slice(start, end);
    if (core !== '' && core.length < this.#longest && this.#texts.some((token) => token.includes(core))) cuts.add(start).add(end);
    for (let length = 1; length < this.#longest; length += 1) {
      if (length <= end && this.#heads.has(text.slice(end - length, end))) cuts.add(end - length + 1);
      if (start + length <= text.length && this.#tails.has(text.slice(start, start + length))) cuts.add(start + length - 1);
    }
  }
}

function insertAt(text: string, positions: readonly number[], mark: string): string {
  let result = '';
  let from = 0;
  for (const position of positions) {
    result += text.slice(from, position) + mark;
    from = position;
  }
  return result + text.slice(from);
}
