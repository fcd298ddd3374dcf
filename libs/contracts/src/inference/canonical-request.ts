import { z } from 'zod';

const TextPart = z.object({ type: z.literal('text'), text: z.string() });
/** Text of a message. */
export type TextPart = z.infer<typeof TextPart>;

/** `url` = a `data:` URL, or an https URL on an allowed host, which the worker fetches. */
const ImagePart = z.object({ type: z.literal('image'), url: z.string().min(1) });
/** An image of a user's message. */
export type ImagePart = z.infer<typeof ImagePart>;

/** A piece of a user's message. */
export type ContentPart = TextPart | ImagePart;

/** A call that the model made. `arguments` = JSON text of an object. */
const ToolCall = z.object({ id: z.string().min(1), name: z.string().min(1), arguments: z.string() });
/** A call of a tool that the model made. */
export type ToolCall = z.infer<typeof ToolCall>;

/** One turn of a conversation; `system` holds what chat calls `system` and `developer`. */
const CanonicalMessage = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.array(TextPart), name: z.string().optional() }),
  z.object({
    role: z.literal('user'),
    content: z.array(z.discriminatedUnion('type', [TextPart, ImagePart])),
    name: z.string().optional(),
  }),
  z.object({
    role: z.literal('assistant'),
    content: z.array(TextPart),
    name: z.string().optional(),
    /** Reasoning of the model before its answer; engines that do not take it leave it out. */
    reasoning: z.string().optional(),
    tool_calls: z.array(ToolCall).min(1).optional(),
  }),
  /** The result of the call with this id. */
  z.object({ role: z.literal('tool'), content: z.array(TextPart), tool_call_id: z.string().min(1), name: z.string().optional() }),
]);
/** A message of the conversation. */
export type CanonicalMessage = z.infer<typeof CanonicalMessage>;

/** A function that the model may call. `parameters` = the JSON schema of its arguments; absent = no arguments. */
const Tool = z.object({
  name: z.string().min(1),
  description: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  /** Whether arguments must follow the schema; enforced where the engine can. */
  strict: z.boolean().optional(),
});
/** A function that the model may call. */
export type Tool = z.infer<typeof Tool>;

/** Absent = `auto` where there are tools. */
const ToolChoice = z.union([z.enum(['auto', 'none', 'required']), z.object({ name: z.string().min(1) })]);
/** Whether the model must call a tool, and which. */
export type ToolChoice = z.infer<typeof ToolChoice>;

/** The form that the text of an answer must take; absent = free. */
const OutputFormat = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('json_object') }),
  z.object({
    kind: z.literal('json_schema'),
    schema: z.record(z.string(), z.unknown()),
    name: z.string().optional(),
    strict: z.boolean().optional(),
  }),
  z.object({ kind: z.literal('regex'), pattern: z.string().min(1) }),
  z.object({ kind: z.literal('choice'), options: z.array(z.string().min(1)).min(1) }),
  z.object({ kind: z.literal('grammar'), grammar: z.string().min(1) }),
]);
/** The form that the text of an answer must take. */
export type OutputFormat = z.infer<typeof OutputFormat>;

/** Absent = the model's default. */
const Reasoning = z.object({
  enabled: z.boolean().optional(),
  effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).optional(),
  /** Most tokens of reasoning; enforced where the engine can. */
  budget: z.int().positive().optional(),
});
/** Whether and how much the model reasons before it answers. */
export type Reasoning = z.infer<typeof Reasoning>;

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
  /** No end before this many tokens. */
  min_tokens: z.int().nonnegative().optional(),
  /** Whether only a limit ends the answer. */
  ignore_eos: z.boolean().optional(),
  stop_token_ids: z.array(z.int().nonnegative()).optional(),
});
/** How the next token is chosen. */
export type Sampling = z.infer<typeof Sampling>;

/**
 * A request as every engine understands it, made by a surface of the gateway. Contains nothing that only one public contract
 * has.
 */
export const CanonicalRequest = z.object({
  messages: z.array(CanonicalMessage).min(1),
  sampling: Sampling,
  stop: z.array(z.string().min(1)),
  /** Absent = the room left in the context, at most the deployment's default. */
  max_tokens: z.int().positive().optional(),
  /** True = without `max_tokens`, the room left counts even where the deployment has a default. Workers up to 0.1.0 use the default. */
  fills_context: z.boolean().optional(),
  tools: z.array(Tool).min(1).optional(),
  tool_choice: ToolChoice.optional(),
  /** False = at most one call per answer. Absent = as many as the model makes. */
  parallel_tool_calls: z.boolean().optional(),
  output: OutputFormat.optional(),
  /** Choices to generate; absent = 1. */
  n: z.int().min(1).max(128).optional(),
  /** Present = log probabilities are wanted, with this many alternatives for each token. */
  logprobs: z.int().min(0).max(20).optional(),
  reasoning: Reasoning.optional(),
  template_args: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  /** The last message is an assistant's, and the answer is its continuation, without it. */
  continue_final: z.boolean().optional(),
});
export type CanonicalRequest = z.infer<typeof CanonicalRequest>;

/** The text of a message, its parts joined; images have none. */
export function textOf({ content }: CanonicalMessage): string {
  const [only] = content;
  if (content.length === 1 && only?.type === 'text') return only.text;
  let text = '';
  for (const part of content) if (part.type === 'text') text += part.text;
  return text;
}
