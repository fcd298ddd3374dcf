import {
  type CanonicalMessage,
  type CanonicalRequest,
  type ContentPart,
  type OutputFormat,
  ServiceError,
  textOf,
  type Tool,
  type ToolCall,
} from '@slipway/contracts';
import { isJsonObject } from '@slipway/engine';
import { FLAVOURS, type FlavourTraits, type UpstreamFlavour, type UpstreamTalent } from './flavour.js';

type Fields = Record<string, unknown>;

/** Text alone as one string: Ollama makes a message of each part, and templates expect strings. */
function contentOf(message: CanonicalMessage): string | Fields[] {
  const parts: readonly ContentPart[] = message.content;
  if (!parts.some(({ type }) => type === 'image')) return textOf(message);
  return parts.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text } : { type: 'image_url', image_url: { url: part.url } },
  );
}

/**
 * The arguments of a call in the history, as JSON text of an object.
 * @throws ServiceError when they are anything else: chat templates read an object, and servers fail on the rest, each in its own way.
 */
export function callArguments({ arguments: args }: ToolCall): string {
  const text = args.trim() === '' ? '{}' : args;
  if (isJsonObject(text)) return text;
  throw new ServiceError('invalid_value', 'The arguments of a tool call in the history are not a JSON object.', { param: 'messages' });
}

const callField = (call: ToolCall): Fields => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: callArguments(call) },
});

function roleFields(message: CanonicalMessage, { reasoningField }: FlavourTraits): Fields {
  if (message.role === 'tool') return { tool_call_id: message.tool_call_id };
  if (message.role !== 'assistant') return {};
  const { reasoning, tool_calls: calls } = message;
  return {
    ...(reasoning !== undefined && reasoningField !== null && { [reasoningField]: reasoning }),
    ...(calls !== undefined && { tool_calls: calls.map(callField) }),
  };
}

/**
 * A conversation as a server of the chat-completions contract reads it.
 * @throws ServiceError for a call whose arguments are not an object.
 */
export function messageFields(messages: readonly CanonicalMessage[], traits: FlavourTraits): Fields[] {
  return messages.map((message) => ({
    role: message.role,
    content: contentOf(message),
    ...(message.name !== undefined && { name: message.name }),
    ...roleFields(message, traits),
  }));
}

export interface RequestBodyOptions extends UpstreamTalent {
  readonly model: string;
  /** Tokens of the answer; null = the server's own limit. */
  readonly maxTokens: number | null;
  /** Fields that name an adapter, as the server reads them. */
  readonly adapterFields?: Fields | undefined;
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

const NO_ARGUMENTS = { type: 'object', properties: {} };

const toolField = ({ name, description, parameters, strict }: Tool): Fields => ({
  type: 'function',
  function: {
    name,
    ...(description !== undefined && { description }),
    parameters: parameters ?? NO_ARGUMENTS,
    ...(strict !== undefined && { strict }),
  },
});

/** The tools that a request offers and how they may be chosen, in the words that a server understands. */
export function toolFields(request: CanonicalRequest, flavour: UpstreamFlavour): Fields {
  const { tools, tool_choice: choice = 'auto', parallel_tool_calls: parallel = true } = request;
  if (tools === undefined) return {};
  // It reads no tool_choice; without tools there is nothing to call.
  if (flavour === 'ollama') return choice === 'none' ? {} : { tools: tools.map(toolField) };
  // Stated always: its default differs between servers.
  const shared = { parallel_tool_calls: parallel };
  if (typeof choice === 'string') return { ...shared, tools: tools.map(toolField), tool_choice: choice };
  // It takes a named choice for `auto`: with that tool alone on offer, `required` means the same.
  if (flavour === 'llama-server') {
    return { ...shared, tools: tools.filter(({ name }) => name === choice.name).map(toolField), tool_choice: 'required' };
  }
  return { ...shared, tools: tools.map(toolField), tool_choice: { type: 'function', function: { name: choice.name } } };
}

type Effort = NonNullable<NonNullable<CanonicalRequest['reasoning']>['effort']>;

/** Ollama knows these alone and refuses the rest. */
const OLLAMA_EFFORT: Readonly<Record<Effort, string>> = {
  none: 'none',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'max',
  max: 'max',
};

function forOllama({ enabled, effort }: NonNullable<CanonicalRequest['reasoning']>): Fields {
  if (enabled === false) return { reasoning_effort: 'none' };
  if (effort !== undefined) return { reasoning_effort: OLLAMA_EFFORT[effort] };
  return enabled === true ? { reasoning_effort: 'medium' } : {};
}

const templateArgs = (args: CanonicalRequest['template_args']): Fields =>
  args !== undefined && Object.keys(args).length > 0 ? { chat_template_kwargs: args } : {};

/**
 * How much a model thinks, and the arguments of its chat template. A wish about reasoning is dropped where a server cannot be
 * asked: Ollama refuses it for models that do not think.
 */
export function reasoningFields(request: CanonicalRequest, { flavour, caps }: UpstreamTalent): Fields {
  const { reasoning, template_args: args } = request;
  if (reasoning === undefined || !caps.includes('reasoning')) return templateArgs(args);
  if (flavour === 'ollama') return forOllama(reasoning);
  const { enabled, effort, budget } = reasoning;
  return {
    ...templateArgs(enabled === undefined ? args : { enable_thinking: enabled, ...args }),
    ...(effort !== undefined && enabled !== false && { reasoning_effort: effort }),
    ...(budget !== undefined && flavour === 'llama-server' && { thinking_budget_tokens: budget }),
  };
}

/** GBNF of one of several strings. */
const choiceGrammar = (options: readonly string[]): string => `root ::= ${options.map(gbnfString).join(' | ')}`;

function gbnfString(text: string): string {
  const escaped = text.replaceAll(/[\\"\p{Cc}]/gu, (char) => {
    if (char === '\\' || char === '"') return `\\${char}`;
    return `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return `"${escaped}"`;
}

const choiceRegex = (options: readonly string[]): string =>
  `(${options.map((option) => option.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)).join('|')})`;

function forVllm(output: Extract<OutputFormat, { kind: 'regex' | 'choice' | 'grammar' }>): Fields {
  if (output.kind === 'regex') return { structured_outputs: { regex: output.pattern } };
  if (output.kind === 'choice') return { structured_outputs: { choice: output.options } };
  return { structured_outputs: { grammar: output.grammar } };
}

function forSglang(output: Extract<OutputFormat, { kind: 'regex' | 'choice' | 'grammar' }>): Fields {
  if (output.kind === 'regex') return { regex: output.pattern };
  if (output.kind === 'choice') return { regex: choiceRegex(output.options) };
  return { ebnf: output.grammar };
}

/**
 * The form that an answer must take, in a server's own spelling. What a flavour has no word for was refused before
 * (`assertSupported`).
 */
export function outputFields(output: OutputFormat | undefined, flavour: UpstreamFlavour): Fields {
  if (output === undefined) return {};
  if (output.kind === 'json_object') return { response_format: { type: 'json_object' } };
  if (output.kind === 'json_schema') {
    const { name = 'output', schema, strict } = output;
    return { response_format: { type: 'json_schema', json_schema: { name, schema, ...(strict !== undefined && { strict }) } } };
  }
  if (flavour === 'vllm') return forVllm(output);
  if (flavour === 'sglang') return forSglang(output);
  if (output.kind === 'choice') return { grammar: choiceGrammar(output.options) };
  return output.kind === 'grammar' ? { grammar: output.grammar } : {};
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
  if (options.adapterFields !== undefined) addGiven(body, options.adapterFields);
  return body;
}

/** llama-server gives no probabilities at all for 0 alternatives; what is too many is dropped on the way back. */
const topLogprobs = (wanted: number, flavour: UpstreamFlavour): number => (flavour === 'llama-server' ? Math.max(1, wanted) : wanted);
