import { z } from 'zod';

/** Sizes of a base that decide how much memory its training takes. */
export const BaseShape = z.object({
  layers: z.int().positive(),
  /** Numbers of a token between layers. */
  width: z.int().positive(),
  feed_forward: z.int().positive(),
  heads: z.int().positive(),
  kv_heads: z.int().positive(),
  head_size: z.int().positive(),
  /** Tokens that it knows. */
  vocabulary: z.int().positive(),
});
export type BaseShape = z.infer<typeof BaseShape>;

/** How the memory of a trainer grows. */
export const TrainerMemory = z.object({
  /** Program and libraries, in bytes. */
  bytes: z.int().nonnegative(),
  /** Bytes for each byte of the base's file. */
  per_base: z.number().nonnegative(),
  /** Bytes for each number of the adapter: itself, its gradient, and what the optimizer keeps of it. */
  per_adapter_number: z.number().nonnegative(),
  /** Whether it keeps the activations of an example as ggml does; false = they are in `per_base`. */
  activations: z.boolean(),
});
export type TrainerMemory = z.infer<typeof TrainerMemory>;

/** What the memory of a training is computed from. */
export interface TrainingSize {
  readonly base: { readonly bytes: number; readonly shape?: BaseShape | undefined };
  readonly rank: number;
  /** Tokens of the longest example, with the padding of the trainer. */
  readonly tokens: number;
}

/** Numbers that are kept for each token, fitted to trainings of nine shapes of `qwen3` with 64 to 1,024 tokens. */
const KEPT = { vocabulary: 6, width: 4.25, layer: { width: 2.5, feed_forward: 3, heads: 7.5 } };
const NUMBER_BYTES = 4;
/** Node, llama.cpp and the texts of a job: 204 MiB after one checkpoint, 261 after 24. */
const SCORING_BYTES = 240 * 2 ** 20;
/** The contexts of the base and of an adapter, with keys and values of two bytes. */
const SCORING_BYTES_PER_KEY = 2 * 2 * 2;
/** A context also has room for an answer that runs on. */
const SCORING_CONTEXTS = 2;
/** Tokens that are evaluated at once, whose scores of all words are kept three times. */
const SCORING_BATCH = 512;
const SCORE_BYTES = 3 * NUMBER_BYTES;

/** Numbers of an adapter for all seven matrices of each layer. */
export function adapterNumbers(
  { layers, width, feed_forward: forward, heads, kv_heads: kv, head_size: head }: BaseShape,
  rank: number,
): number {
  return rank * layers * (2 * (width + heads * head) + 2 * (width + kv * head) + 3 * (width + forward));
}

function activationBytes({ layers, width, feed_forward: forward, heads, head_size: head, vocabulary }: BaseShape, tokens: number): number {
  const { layer } = KEPT;
  const perLayer = layer.width * width + layer.feed_forward * forward + layer.heads * heads * head + heads * tokens;
  return NUMBER_BYTES * tokens * (KEPT.vocabulary * vocabulary + KEPT.width * width + layers * perLayer);
}

/**
 * Memory of a trainer's process, in bytes. Within 7 % of what trainings of nine shapes were seen to take.
 * @returns null for a base of unknown shape, where the trainer's memory depends on it
 */
export function trainerMemory(trainer: TrainerMemory, { base, rank, tokens }: TrainingSize): number | null {
  const fixed = trainer.bytes + trainer.per_base * base.bytes;
  if (!trainer.activations && trainer.per_adapter_number === 0) return Math.ceil(fixed);
  if (!base.shape) return null;
  const adapter = trainer.per_adapter_number * adapterNumbers(base.shape, rank);
  return Math.ceil(fixed + adapter + (trainer.activations ? activationBytes(base.shape, tokens) : 0));
}

/** Memory of the process that prepares a job's data and scores its checkpoints, in bytes; the base's pages are the trainer's. */
export function scoringMemory({ base: { shape }, tokens }: TrainingSize): number {
  if (!shape) return SCORING_BYTES;
  const keys = SCORING_BYTES_PER_KEY * shape.layers * shape.kv_heads * shape.head_size * SCORING_CONTEXTS * tokens;
  return SCORING_BYTES + keys + SCORE_BYTES * shape.vocabulary * Math.min(SCORING_BATCH, SCORING_CONTEXTS * tokens);
}

/** Memory of a whole training job, in bytes: its trainer, and the process beside it; null = unknown. */
export function trainingMemory(trainer: TrainerMemory, size: TrainingSize): number | null {
  const training = trainerMemory(trainer, size);
  return training === null ? null : training + scoringMemory(size);
}

const TOKENS_STEP = 32;

/** Tokens of a trainer's context for its longest example. */
export const paddedTokens = (longest: number): number => Math.ceil(longest / TOKENS_STEP) * TOKENS_STEP;
