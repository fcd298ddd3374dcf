import { type CanonicalRequest, textOf } from '@slipway/contracts';

/** Servers that name or read a field their own way; `other` gets the contract as it is published. */
export type UpstreamFlavour = 'vllm' | 'sglang' | 'llama-server' | 'ollama' | 'other';

export interface RequestBodyOptions {
  readonly model: string;
  readonly flavour: UpstreamFlavour;
  /** Tokens of the answer; null = the server's own limit. */
  readonly maxTokens: number | null;
}

function samplingFields({ sampling }: CanonicalRequest, flavour: UpstreamFlavour): Record<string, unknown> {
  const { top_p: topP, top_k: topK, repetition_penalty: repetition, temperature, ...same } = sampling;
  // "The most likely token" in words that everybody takes: vLLM refuses top_p 0.
  const greedy = topP === 0;
  return {
    ...same,
    temperature: greedy ? 0 : temperature,
    top_p: greedy ? undefined : topP,
    // "Off" is 0 for llama-server and -1 elsewhere.
    top_k: topK === 0 && flavour !== 'llama-server' ? -1 : topK,
    [flavour === 'llama-server' ? 'repeat_penalty' : 'repetition_penalty']: repetition,
  };
}

/**
 * The body of a chat completion, made of known fields only: some servers read everything that they are sent.
 * Fields without a value are left out, since some refuse null.
 */
export function requestBody(request: CanonicalRequest, options: RequestBodyOptions): Record<string, unknown> {
  const body: Record<string, unknown> = {
    model: options.model,
    messages: request.messages.map((message) => ({
      role: message.role,
      // One string: Ollama makes a message of each part.
      content: textOf(message),
      ...(message.name !== undefined && { name: message.name }),
    })),
    // Always a stream, also for callers who want one answer: it can be cancelled everywhere, and it tells when it is cut.
    stream: true,
    stream_options: { include_usage: true },
    // Not max_completion_tokens, which Ollama ignores.
    max_tokens: options.maxTokens ?? undefined,
    stop: request.stop.length > 0 ? request.stop : undefined,
    ...samplingFields(request, options.flavour),
  };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

/** About four bytes make a token; used where a server does not count. */
export function estimatePromptTokens(request: CanonicalRequest): number {
  let bytes = 0;
  for (const message of request.messages) bytes += Buffer.byteLength(textOf(message));
  return Math.ceil(bytes / 4);
}
