import { z } from 'zod';
import { boundedList, boundedText } from '../bounded.js';

const MAX_MESSAGES = 100_000;
const MAX_STOPS = 256;
const MAX_STOP_CHARS = 1024;
const MAX_USER_ID_CHARS = 4_096;
const MAX_METADATA_CHARS = 16 * 1024;
/** Least budget for thinking that the contract knows, in tokens. */
const MIN_THINKING_TOKENS = 1024;

const stopText = boundedText(MAX_STOP_CHARS).refine((text) => text.trim() !== '', 'A stop sequence must hold more than whitespace');

const display = z.enum(['summarized', 'omitted']).nullish();
const Thinking = z.discriminatedUnion('type', [
  z.object({ type: z.literal('enabled'), budget_tokens: z.int().min(MIN_THINKING_TOKENS), display }),
  z.object({ type: z.literal('adaptive'), display }),
  z.object({ type: z.literal('between_tools'), display }),
  z.object({ type: z.literal('disabled') }),
]);

/**
 * Fields of a request that are honoured or looked at. Unknown fields pass and go nowhere. Nulls count as absent and are
 * gone before this is asked; system and messages are read one by one, since what is wrong in them needs a precise name.
 */
export const MessagesFields = z.object({
  model: z
    .string()
    .refine((name) => name !== '')
    .meta({ minLength: 1 }),
  max_tokens: z.int().min(0),
  messages: boundedList(z.unknown(), 1, MAX_MESSAGES),
  system: z.unknown().optional(),
  stream: z.boolean().optional(),

  // The contract ends at 1; open models are used above it.
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .optional(),
  stop_sequences: boundedList(stopText, 0, MAX_STOPS).optional(),
  thinking: Thinking.optional(),

  output_config: z.object({ effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish() }).optional(),
  // Taken and of no effect here.
  metadata: z
    .object({ user_id: boundedText(MAX_USER_ID_CHARS).nullish() })
    .loose()
    .refine(
      (metadata) => JSON.stringify(metadata).length <= MAX_METADATA_CHARS,
      `Expected at most ${MAX_METADATA_CHARS} characters of JSON`,
    )
    .optional(),
  service_tier: boundedText(64).optional(),
});
export type MessagesFields = z.infer<typeof MessagesFields>;

/** The same for who only asks how long the prompt is. */
export const CountFields = MessagesFields.partial({ max_tokens: true });
export type CountFields = z.infer<typeof CountFields>;
