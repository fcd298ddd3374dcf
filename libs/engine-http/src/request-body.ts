import type { CanonicalRequest } from '@slipway/contracts';
import { messageFields } from './body-messages.js';
import { outputFields } from './body-output.js';
import { reasoningFields } from './body-reasoning.js';
import { toolFields } from './body-tools.js';
import { FLAVOURS, type UpstreamFlavour } from './flavour.js';
import type { UpstreamTalent } from './unsupported.js';

type Fields = Record<string, unknown>;

export interface RequestBodyOptions extends UpstreamTalent {
  readonly model: string;
  /** Tokens of the answer; null = the server's own limit. */
  readonly maxTokens: number | null;
}

/** Samplers that keep their name wherever a server reads them. */
const SAMPLERS = ['seed', 'logit_bias', 'min_p', 'min_tokens', 'ignore_eos', 'stop_token_ids'] as const;

function samplingFields({ sampling }: CanonicalRequest, { flavour, caps }: UpstreamTalent): Fields {
  const { top_p: topP, top_k: topK } = sampling;
  // "The most likely token" in words that everybody takes: vLLM refuses top_p 0.
  const greedy = topP === 0;
  const llamaServer = flavour === 'llama-server';
  const fields: Fields = {
    temperature: greedy ? 0 : sampling.temperature,
    top_p: greedy ? undefined : topP,
    frequency_penalty: sampling.frequency_penalty,
    presence_penalty: sampling.presence_penalty,
  };
  for (const name of SAMPLERS) if (sampling[name] !== undefined && caps.includes(name)) fields[name] = sampling[name];
  // "Off" is 0 for llama-server and -1 elsewhere.
  if (caps.includes('top_k')) fields['top_k'] = topK === 0 && !llamaServer ? -1 : topK;
  if (caps.includes('repetition_penalty')) {
    fields[llamaServer ? 'repeat_penalty' : 'repetition_penalty'] = sampling.repetition_penalty;
  }
  return fields;
}

/**
 * How a server is asked for its figures while it answers, so that they are known when an answer is cut short. Those of
 * several choices are each for one of them only, and no use before the end.
 */
function figureFields(flavour: UpstreamFlavour, choices: number): Fields {
  const running = choices === 1 && (flavour === 'vllm' || flavour === 'sglang');
  return {
    stream_options: { include_usage: true, ...(running && { continuous_usage_stats: true }) },
    timings_per_token: flavour === 'llama-server' && choices === 1 ? true : undefined,
  };
}

/** vLLM and SGLang need a flag to continue the last message; llama-server does so by itself. */
function continuationFields({ continue_final: continues }: CanonicalRequest, flavour: UpstreamFlavour): Fields {
  if (continues !== true || flavour === 'llama-server') return {};
  return { continue_final_message: true, ...(flavour === 'vllm' && { add_generation_prompt: false }) };
}

/** What makes up the prompt: enough to count its tokens. */
export function promptFields(request: CanonicalRequest, { model, flavour, caps }: Omit<RequestBodyOptions, 'maxTokens'>): Fields {
  return {
    model,
    messages: messageFields(request.messages, FLAVOURS[flavour]),
    ...toolFields(request, flavour),
    ...reasoningFields(request, { flavour, caps }),
    ...continuationFields(request, flavour),
  };
}

/** Adds what has a value: an object of many fields without one is slow to make and large to keep. */
function addGiven(body: Fields, fields: Fields): void {
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) body[name] = value;
}

/**
 * The body of a chat completion, made of known fields only: some servers read everything that they are sent.
 * Fields without a value are left out; some servers refuse null.
 */
export function requestBody(request: CanonicalRequest, options: RequestBodyOptions): Fields {
  const { flavour, maxTokens } = options;
  const choices = request.n ?? 1;
  const stops = request.stop.length > 0 && FLAVOURS[flavour].tellsStop;
  const body: Fields = {};
  addGiven(body, promptFields(request, options));
  // Always a stream, also for callers who want one answer: it can be cancelled everywhere, and shows when it is cut.
  body['stream'] = true;
  addGiven(body, figureFields(flavour, choices));
  addGiven(body, {
    // Not max_completion_tokens, which Ollama ignores.
    max_tokens: maxTokens ?? undefined,
    stop: stops ? request.stop : undefined,
    n: choices > 1 ? choices : undefined,
  });
  if (request.logprobs !== undefined) addGiven(body, { logprobs: true, top_logprobs: topLogprobs(request.logprobs, flavour) });
  addGiven(body, samplingFields(request, options));
  addGiven(body, outputFields(request.output, flavour));
  return body;
}

/** llama-server gives no probabilities at all for 0 alternatives; what is too many is dropped on the way back. */
const topLogprobs = (wanted: number, flavour: UpstreamFlavour): number => (flavour === 'llama-server' ? Math.max(1, wanted) : wanted);
