import { repeatsItself } from '@slipway/datasets';

/** An answer without an end is degenerate when it is this many times as long as the longest expected one. */
const TOO_LONG = 4;
/** Least tokens that an answer is given. */
const LEAST_TOKENS = 32;

/** Tokens that an answer may take before it counts as one without an end. */
export const answerBound = (longestExpected: number): number => Math.max(LEAST_TOKENS, TOO_LONG * longestExpected);

/**
 * Whether an answer is of no use whatever was asked: it repeats itself, or does not end.
 * @param expected tokens of the answer that should come; one that repeats itself may be repeated
 */
export function isDegenerate(
  answer: { readonly tokens: readonly number[]; readonly end: number | null },
  expected: readonly number[],
): boolean {
  return answer.end === null || (repeatsItself(answer.tokens) && !repeatsItself(expected));
}
