import type { CanonicalRequest } from '@slipway/contracts';

/** Characters of a token, on average; few texts have fewer than three. */
const CHARS_PER_TOKEN = 4;
/** What a message costs besides its text, in tokens. */
const MESSAGE_TOKENS = 4;
const IMAGE_TOKENS = 1_000;
/** The schema of a tool's arguments: weighing it would cost more than it is worth. */
const TOOL_TOKENS = 100;
/** Tokens of an answer whose request names no limit. */
const ANSWER_TOKENS = 1_024;

/**
 * Tokens to set aside for a request before anything is known of it: its prompt by its length, and as long an answer as it
 * allows, for each of its choices. What it used takes their place at its end.
 */
export function estimateTokens({ messages, tools, max_tokens: maxTokens = ANSWER_TOKENS, n = 1 }: CanonicalRequest): number {
  let chars = 0;
  let tokens = messages.length * MESSAGE_TOKENS + n * maxTokens;
  for (const message of messages) {
    for (const part of message.content) {
      if (part.type === 'text') chars += part.text.length;
      else tokens += IMAGE_TOKENS;
    }
    if (message.role === 'assistant') for (const call of message.tool_calls ?? []) chars += call.name.length + call.arguments.length;
  }
  for (const { name, description = '' } of tools ?? []) {
    chars += name.length + description.length;
    tokens += TOOL_TOKENS;
  }
  return tokens + Math.ceil(chars / CHARS_PER_TOKEN);
}
