import { ServiceError } from '@slipway/contracts';

/** U+FDD0 to U+FDEF are noncharacters: Unicode keeps them for the inside of programs, and no honest text has them. */
const MARKS = Array.from({ length: 32 }, (_, i) => String.fromCharCode(0xfdd0 + i));

/** A mark, and where it stands in rendered text: a template that prints JSON in ASCII escapes it. */
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

/** A text of users, and whether the template's own text may stand right beside it. */
export interface UserText {
  readonly text: string;
  readonly edges: boolean;
}

/** Text of users in which nothing reads as a control token any more. */
export interface GuardedTexts {
  readonly texts: readonly string[];
  /** Takes rendered text apart at the marks, which are gone afterwards: a tokenizer must see the parts one by one. */
  readonly split: (rendered: string) => string[];
}

/**
 * Keeps users from writing control tokens. A chat template mixes its own control tokens with the text of users,
 * and the tokenizer cannot tell them apart. So a mark goes into every place of the users' text where a control
 * token could be read, the template renders the marked text (which it can still trim, split and compare), and
 * the result is cut at the marks: a control token that is cut in two is plain text for the tokenizer. Text
 * without such places is rendered and tokenized exactly as it stands.
 */
export class ControlTokenGuard {
  readonly #tokens = emptyNode();
  /** Beginnings and ends of control tokens, which the template's own text next to them could complete. */
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

  /** Whether cutting `text` at `position` would cut a control token in two. */
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

  /** Positions, rising, at which the text is to be cut: one character into everything that reads as a control token. */
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

  /** Templates trim: what counts is where the text begins and ends without white space. */
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
