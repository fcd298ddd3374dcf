import { z } from 'zod';

/** A piece of a message's content. */
const ContentPart = z.discriminatedUnion('type', [z.object({ type: z.literal('text'), text: z.string() })]);
export type ContentPart = z.infer<typeof ContentPart>;

/** One turn of a conversation; `system` holds what chat calls `system` and `developer`. */
const CanonicalMessage = z.object({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.array(ContentPart),
  name: z.string().optional(),
});
export type CanonicalMessage = z.infer<typeof CanonicalMessage>;

/** Absent = the engine's own default for the model. */
const Sampling = z.object({
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  /** 0 = off. */
  top_k: z.int().min(0).optional(),
  min_p: z.number().min(0).max(1).optional(),
  /** 0 to 2^32 - 1. */
  seed: z.int().min(0).max(4_294_967_295).optional(),
  frequency_penalty: z.number().min(-2).max(2).optional(),
  presence_penalty: z.number().min(-2).max(2).optional(),
  repetition_penalty: z.number().positive().max(10).optional(),
  /** Token id to -100 .. 100. */
  logit_bias: z.record(z.string().regex(/^\d{1,7}$/), z.number().min(-100).max(100)).optional(),
});
export type Sampling = z.infer<typeof Sampling>;

/**
 * A generation as every engine understands it, made by a surface of the gateway. It holds nothing
 * that only one public contract knows.
 */
export const CanonicalRequest = z.object({
  messages: z.array(CanonicalMessage).min(1),
  sampling: Sampling,
  stop: z.array(z.string().min(1)),
  /** Absent = the room left in the context, at most the deployment's default. */
  max_tokens: z.int().positive().optional(),
});
export type CanonicalRequest = z.infer<typeof CanonicalRequest>;
