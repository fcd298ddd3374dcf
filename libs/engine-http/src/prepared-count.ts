import type { CanonicalMessage, CanonicalRequest } from '@slipway/contracts';
import { factsOf, type RequestFacts } from '@slipway/engine';
import { anthropicPrompt } from './anthropic-prompt.js';
import { promptFields, type RequestBodyOptions } from './request-body.js';

/** Ways to have a server count a prompt. */
export type CountStrategy = 'anthropic' | 'vllm-tokenize' | 'llama-input-tokens' | 'estimate';

/** Whom a count is made for, and how. */
export interface CountOptions extends Omit<RequestBodyOptions, 'maxTokens'> {
  readonly strategy: CountStrategy;
  /** A longer prompt is estimated, in bytes; null = none is. */
  readonly maxBytes: number | null;
}

/** A prompt as a server is asked to count it. */
export interface PreparedCount {
  readonly facts: RequestFacts;
  /** JSON, or its UTF-8; null where the count is an estimate. */
  readonly body: string | Uint8Array | null;
  /** Whether the server's number will be the one that it generates by. */
  readonly isFaithful: boolean;
}

/** @throws ServiceError for what the body cannot say. */
export function prepareCount(request: CanonicalRequest, options: CountOptions): PreparedCount {
  const { strategy, maxBytes } = options;
  const facts = factsOf(request);
  const isAsked = strategy !== 'estimate' && (maxBytes === null || facts.promptBytes <= maxBytes);
  if (!isAsked) return { facts, body: null, isFaithful: false };
  // No server counts images beforehand as it does when it answers, and none may be given an address.
  const text = facts.images === 0 ? request : withoutImages(request);
  return { facts, body: JSON.stringify(fieldsOf(text, options)), isFaithful: facts.images === 0 && saysAll(request, strategy) };
}

function fieldsOf(request: CanonicalRequest, options: CountOptions): Record<string, unknown> {
  if (options.strategy === 'anthropic') return anthropicPrompt(request, options.model);
  const fields = promptFields(request, options);
  if (options.strategy === 'llama-input-tokens') return fields;
  // It reads the prompt alone; how calls are chosen is no part of it.
  const { tool_choice: _choice, parallel_tool_calls: _parallel, ...prompt } = fields;
  return { add_generation_prompt: true, ...prompt };
}

/** Whether a way of counting covers all arguments of a chat template. */
function saysAll({ template_args: args, reasoning, continue_final: continues }: CanonicalRequest, strategy: CountStrategy): boolean {
  return strategy !== 'anthropic' || (args === undefined && reasoning === undefined && continues !== true);
}

function withoutImages(request: CanonicalRequest): CanonicalRequest {
  const messages = request.messages.map((message): CanonicalMessage =>
    message.role === 'user' ? { ...message, content: message.content.filter(({ type }) => type === 'text') } : message,
  );
  return { ...request, messages };
}
