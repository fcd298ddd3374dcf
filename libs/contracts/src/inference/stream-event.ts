import { z } from 'zod';
import { enumOr } from '../schemas.js';

/**
 * Why one choice ended. `stop` = the model ended its turn, `stop_sequence` = a stop string was met, `tool_calls` = it ended
 * with calls, `length` = the request's limit of tokens was reached or the context is full.
 */
export const FinishReason = z.enum(['stop', 'stop_sequence', 'tool_calls', 'length', 'content_filter']);
/** A finish reason as readers accept it: an unknown word means `stop`. */
export const ReadFinishReason = enumOr(FinishReason, 'stop');
export type FinishReason = z.infer<typeof FinishReason>;

/** Log probability of one token; `b` = its UTF-8 bytes, present where `t` is not exactly these bytes. */
const TokenProbability = z.object({ t: z.string(), p: z.number(), b: z.array(z.int().min(0).max(255)).optional() });
/** A generated token with its likeliest alternatives, best first. */
const TokenLogprob = TokenProbability.extend({ top: z.array(TokenProbability).optional() });
/** A generated token with its likeliest alternatives. */
export type TokenLogprob = z.infer<typeof TokenLogprob>;

/**
 * One step of an answer. Names are short because they travel with every token.
 * `n` = tokens that the step stands for (an estimate for HTTP engines); `c` = choice, absent = 0.
 * Readers ignore kinds that they do not know; those still count as one event.
 */
export const StreamEvent = z.discriminatedUnion('k', [
  /** The prompt is evaluated. Counts as far as known, possibly estimated; the end frame has the final ones. */
  z.object({
    k: z.literal('start'),
    prompt: z.int().nonnegative().optional(),
    cached: z.int().nonnegative().optional(),
    /**
     * Assertions of the request's JSON schemas that are not enforced: `/pointer` of the answer's schema, `tool:/pointer` of a
     * tool's. Possibly not all. Absent from workers up to 0.1.0.
     */
    relaxed: z.array(z.string()).optional(),
  }),
  /** `lp` = the log probabilities of its tokens, where requested. */
  z.object({
    k: z.literal('text'),
    c: z.int().nonnegative().optional(),
    x: z.string(),
    n: z.int().nonnegative(),
    lp: z.array(TokenLogprob).optional(),
  }),
  /** Reasoning, which surfaces separate from the answer. */
  z.object({ k: z.literal('think'), c: z.int().nonnegative().optional(), x: z.string(), n: z.int().nonnegative() }),
  /** Call number `i` of its choice begins; numbers count from 0 without a gap. A call is complete when the next begins or at `fin`. */
  z.object({
    k: z.literal('call'),
    c: z.int().nonnegative().optional(),
    i: z.int().nonnegative(),
    id: z.string().min(1),
    name: z.string().min(1),
    n: z.int().nonnegative(),
  }),
  /** More arguments of the last call of its choice. All pieces of a call together are the JSON text of an object. */
  z.object({
    k: z.literal('args'),
    c: z.int().nonnegative().optional(),
    i: z.int().nonnegative(),
    x: z.string(),
    n: z.int().nonnegative(),
  }),
  /** A choice is complete. `stop` = the stop string that was met. */
  z.object({ k: z.literal('fin'), c: z.int().nonnegative().optional(), r: ReadFinishReason, stop: z.string().optional() }),
  /** The embedding of text `i` of an `embed` start: base64 of little-endian 32-bit floats, of length 1 (L2). Each text has one. */
  z.object({ k: z.literal('vec'), i: z.int().nonnegative(), x: z.string() }),
]);
export type StreamEvent = z.infer<typeof StreamEvent>;

/** Texts are joined up to this length, in UTF-16 code units, so that no event outgrows a frame. */
const JOINED_CHARS = 8_192;

type Piece = Extract<StreamEvent, { k: 'text' | 'think' }>;

/** Probabilities belong to the tokens of one piece, and clients read them with its text. */
const isJoinable = (event: StreamEvent): event is Piece => event.k === 'think' || (event.k === 'text' && event.lp === undefined);

/**
 * Adds to events that have not been sent. Text behind text of the same choice becomes one piece, which costs what one token
 * does: the last event of the list is then changed.
 */
export function appendEvent(events: StreamEvent[], event: StreamEvent): void {
  const last = events.at(-1);
  const joins =
    last !== undefined &&
    isJoinable(last) &&
    isJoinable(event) &&
    last.k === event.k &&
    last.c === event.c &&
    last.x.length + event.x.length <= JOINED_CHARS;
  if (!joins) {
    events.push(event);
    return;
  }
  last.x += event.x;
  last.n += event.n;
}

/** Most tokens of one request, for its prompt and its answer each; the ledger stores no more. */
export const TOKENS_MAX = 2_147_483_647;

/** Older workers pass on any count of their engine. It is capped, because a wrong count must not make the end frame unreadable. */
const BoundedCount = z
  .int()
  .nonnegative()
  .transform((tokens) => Math.min(tokens, TOKENS_MAX));

/** Token counts of one stream over all of its choices. Larger ones are read as `TOKENS_MAX`. */
export const Usage = z.object({
  prompt: BoundedCount,
  /** Part of `prompt` that was not evaluated again. */
  cached: BoundedCount,
  completion: BoundedCount,
  /** Part of `completion` that was reasoning. */
  reasoning: BoundedCount.optional(),
  /** True where the engine gave no plausible count, so that the worker estimated it. */
  estimated: z.boolean().optional(),
});
export type Usage = z.infer<typeof Usage>;

const FNV_OFFSET = 0x811c9dc5;

/** Start value of a stream's checksum. */
export const EMPTY_SUM = FNV_OFFSET;

/** Adds an event to a stream's checksum: 32-bit FNV-1a over the UTF-16 code units of its text, reasoning, arguments and vectors in order. */
export function addToSum(sum: number, event: StreamEvent): number {
  if (!('x' in event)) return sum;
  // As a signed integer: with a larger number the loop may be compiled for doubles, and takes four times as long.
  let next = sum | 0;
  for (let i = 0; i < event.x.length; i += 1) next = Math.imul(next ^ event.x.charCodeAt(i), 0x01000193);
  return next >>> 0;
}
