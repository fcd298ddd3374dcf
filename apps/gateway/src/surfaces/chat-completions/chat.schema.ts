import { z } from 'zod';
import { boundedList, boundedText } from '../bounded.js';

const MAX_MESSAGES = 2048;
const MAX_BIASES = 1024;
const MAX_STOP_TOKENS = 128;
/** Choices of one request: each takes its share of an engine. */
const MAX_CHOICES = 8;
const MAX_TOP_LOGPROBS = 20;

const text = (max: number): z.ZodString => boundedText(max);
const limit = z.int().min(1);
const tokenId = z
  .int()
  .min(0)
  .max(2 ** 31 - 1);
/** Any 64-bit integer; JSON numbers beyond 2^53 arrive rounded, which for a seed is as good as exact. */
const seed = z
  .number()
  .refine((value) => Number.isInteger(value) && Math.abs(value) <= 2 ** 63, 'expected a 64-bit integer')
  .meta({ type: 'integer', minimum: -(2 ** 63), maximum: 2 ** 63 });
const flag = z.boolean().optional();
const anyObject = z.record(z.string(), z.unknown()).optional();

/**
 * Fields whose value is plain, honoured or looked at. Unknown fields pass and go nowhere. Nulls count as absent and are gone
 * before this is asked. Fields with a structure of their own have a file each, which names what is wrong inside them.
 */
export const ChatFields = z.object({
  model: z
    .string()
    .refine((name) => name !== '')
    .meta({ minLength: 1 }),
  messages: boundedList(z.unknown(), 1, MAX_MESSAGES),
  stream: flag,
  stream_options: z
    .object({
      include_usage: z.boolean().nullish(),
      continuous_usage_stats: z.boolean().nullish(),
      include_obfuscation: z.boolean().nullish(),
    })
    .optional(),

  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  max_completion_tokens: limit.optional(),
  max_tokens: limit.optional(),
  n: z.int().min(1).max(MAX_CHOICES).optional(),
  seed: seed.optional(),
  frequency_penalty: z.number().min(-2).max(2).optional(),
  presence_penalty: z.number().min(-2).max(2).optional(),
  logit_bias: z
    .record(z.string().regex(/^\d{1,7}$/), z.number().min(-100).max(100))
    .refine((biases) => Object.keys(biases).length <= MAX_BIASES, `expected at most ${MAX_BIASES} entries`)
    .meta({ maxProperties: MAX_BIASES })
    .optional(),
  logprobs: flag,
  top_logprobs: z.int().min(0).max(MAX_TOP_LOGPROBS).optional(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).optional(),

  // Engines' own; -1 and 0 both switch top_k off.
  top_k: z
    .int()
    .min(-1)
    .max(2 ** 31 - 1)
    .optional(),
  min_p: z.number().min(0).max(1).optional(),
  repetition_penalty: z.number().gt(0).max(10).optional(),
  min_tokens: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .optional(),
  ignore_eos: flag,
  stop_token_ids: boundedList(tokenId, 0, MAX_STOP_TOKENS).optional(),

  // Taken and of no effect here.
  user: text(1024).optional(),
  safety_identifier: text(64).optional(),
  prompt_cache_key: text(1024).optional(),
  prompt_cache_retention: text(64).optional(),
  prompt_cache_options: anyObject,
  prediction: anyObject,
  moderation: anyObject,
  verbosity: text(32).optional(),
  service_tier: text(32).optional(),
  store: flag,
  metadata: z
    .record(text(64), text(512))
    .refine((pairs) => Object.keys(pairs).length <= 16, 'expected at most 16 pairs')
    .meta({ maxProperties: 16 })
    .optional(),
  include_reasoning: flag,
  separate_reasoning: flag,
  cache_prompt: flag,
  thinking_token_budget: z.number().optional(),
});
export type ChatFields = z.infer<typeof ChatFields>;
