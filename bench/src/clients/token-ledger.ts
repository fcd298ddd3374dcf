import type { Histogram } from './histogram.js';
import { TOKEN_CHARS, TOKEN_MARK, type Token, readToken } from '../engine/token-text.js';

/** A token that arrives later than this after it was due counts as late, in milliseconds. */
const LATE_MS = 100;
/** Later than this, readers notice. */
const VERY_LATE_MS = 250;

/** What became of tokens. */
export interface TokenCounts {
  tokens: number;
  /** Sent, and never arrived. */
  lost: number;
  /** Arrived again. */
  doubled: number;
  /** Arrived after one that was sent later. */
  misplaced: number;
  /** Arrived more than 100 ms after they were due. */
  late: number;
  /** Of the late ones, those that arrived more than 250 ms after they were due. */
  veryLate: number;
  /** Text that is no token where one was to be. */
  garbled: number;
}

export const noTokens = (): TokenCounts => ({ tokens: 0, lost: 0, doubled: 0, misplaced: 0, late: 0, veryLate: 0, garbled: 0 });

/** Watches one stream: every token has to arrive once, in its place and in time. */
export class TokenLedger {
  readonly #seen: Uint8Array;
  #highest = -1;
  #rest = '';

  /** @param expected tokens that the whole stream has. */
  constructor(
    readonly expected: number,
    private readonly counts: TokenCounts,
    private readonly lateness: Histogram,
  ) {
    this.#seen = new Uint8Array(expected);
  }

  /** Takes a piece of the body as it arrived; a token may be cut between two pieces. */
  text(piece: string, nowUs: number): void {
    const text = this.#rest === '' ? piece : this.#rest + piece;
    this.#rest = '';
    let at = text.indexOf(TOKEN_MARK);
    while (at >= 0) {
      if (at + TOKEN_CHARS > text.length) {
        this.#rest = text.slice(at);
        return;
      }
      this.#take(readToken(text, at), nowUs);
      at = text.indexOf(TOKEN_MARK, at + 1);
    }
  }

  /** The stream is over: what did not arrive is lost. */
  end(): void {
    for (const seen of this.#seen) if (seen === 0) this.counts.lost += 1;
    if (this.#rest !== '') this.counts.garbled += 1;
  }

  #take(token: Token | null, nowUs: number): void {
    const { counts } = this;
    if (!token || token.n >= this.expected) {
      counts.garbled += 1;
      return;
    }
    const lateMs = (nowUs - token.dueUs) / 1_000;
    this.lateness.add(lateMs);
    if (lateMs > LATE_MS) counts.late += 1;
    if (lateMs > VERY_LATE_MS) counts.veryLate += 1;
    if (this.#seen[token.n] === 1) counts.doubled += 1;
    else {
      counts.tokens += 1;
      if (token.n < this.#highest) counts.misplaced += 1;
    }
    this.#seen[token.n] = 1;
    this.#highest = Math.max(this.#highest, token.n);
  }
}
