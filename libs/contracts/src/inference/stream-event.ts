import { z } from 'zod';

/** Why one choice ended. `stop` = the model ended its turn, `stop_sequence` = a stop string was met. */
export const FinishReason = z.enum(['stop', 'stop_sequence', 'length', 'content_filter']);
export type FinishReason = z.infer<typeof FinishReason>;

/**
 * One step of an answer. Names are short because they travel with every token.
 * `n` = tokens that the step stands for (an estimate for HTTP engines); `c` = choice, absent = 0.
 * Readers ignore kinds that they do not know; those still count as one event.
 */
export const StreamEvent = z.discriminatedUnion('k', [
  /** The prompt is evaluated; figures as far as the engine knows them. */
  z.object({ k: z.literal('start'), prompt: z.int().nonnegative().optional(), cached: z.int().nonnegative().optional() }),
  z.object({ k: z.literal('text'), c: z.int().nonnegative().optional(), x: z.string(), n: z.int().nonnegative() }),
  /** Reasoning, which surfaces keep apart from the answer. */
  z.object({ k: z.literal('think'), c: z.int().nonnegative().optional(), x: z.string(), n: z.int().nonnegative() }),
  /** A choice is complete. `stop` = the stop string that was met. */
  z.object({ k: z.literal('fin'), c: z.int().nonnegative().optional(), r: FinishReason, stop: z.string().optional() }),
]);
export type StreamEvent = z.infer<typeof StreamEvent>;

/** Token counts of one stream over all of its choices. */
export const Usage = z.object({
  prompt: z.int().nonnegative(),
  /** Part of `prompt` that was not evaluated again. */
  cached: z.int().nonnegative(),
  completion: z.int().nonnegative(),
  /** Part of `completion` that was reasoning. */
  reasoning: z.int().nonnegative().optional(),
  /** True where the engine gave no count and the figures are the worker's estimate. */
  estimated: z.boolean().optional(),
});
export type Usage = z.infer<typeof Usage>;

const FNV_OFFSET = 0x811c9dc5;

/** Start value of a stream's checksum. */
export const EMPTY_SUM = FNV_OFFSET;

/** Adds an event's text to a stream's checksum: 32-bit FNV-1a over the UTF-16 code units of every text in order. */
export function addToSum(sum: number, event: StreamEvent): number {
  if (event.k !== 'text' && event.k !== 'think') return sum;
  let next = sum;
  for (let i = 0; i < event.x.length; i += 1) next = Math.imul(next ^ event.x.charCodeAt(i), 0x01000193);
  return next >>> 0;
}
