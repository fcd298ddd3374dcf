import type { Answer } from './conversation.js';

/** When things happened, in milliseconds that only rise; null = not yet. */
export interface Times {
  readonly sent: number;
  readonly first: number | null;
  readonly last: number | null;
}

/** What is said under an answer. */
export interface Figures {
  /** From the question to the first token, in milliseconds. */
  readonly ttftMs: number | null;
  /** Tokens after the first by the time since the first; null where they did not come one by one. */
  readonly tokensPerS: number | null;
  /** The model has not counted yet, so pieces are taken for tokens. */
  readonly isEstimate: boolean;
}

export function figuresOf(
  { sent, first, last }: Times,
  { usage, pieces, isWhole, calls }: Pick<Answer, 'usage' | 'pieces' | 'isWhole' | 'calls'>,
): Figures {
  const isCounted = isWhole && usage !== null;
  const tokens = isCounted ? usage.completion : pieces;
  const seconds = first === null || last === null ? 0 : (last - first) / 1_000;
  // Calls come when they are whole: the time since their first piece says nothing of their tokens.
  const hasPace = tokens > 1 && seconds > 0 && calls.length === 0;
  return {
    ttftMs: first === null ? null : Math.round(first - sent),
    tokensPerS: hasPace ? (tokens - 1) / seconds : null,
    isEstimate: !isCounted,
  };
}

/** `230 ms`, `1.23 s`. */
export const formatMs = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`);
