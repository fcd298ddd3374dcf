import { type CanonicalRequest, type Capability, ServiceError } from '@slipway/contracts';

/** Servers that name or read a field their own way; `other` gets the contract as it is published. */
export type UpstreamFlavour = 'vllm' | 'sglang' | 'llama-server' | 'ollama' | 'other';

export interface FlavourTraits {
  /** Capabilities of this kind of server; a probe may take some away. */
  readonly caps: readonly Capability[];
  /** Says which stop string it met. Others get no stop strings: this side looks for them in the text. */
  readonly tellsStop: boolean;
  /** Repeats the beginning of an answer that it continues. */
  readonly echoes: boolean;
  /** Counts each of several choices in a usage of its own. */
  readonly countsApart: boolean;
  /** Under which name it takes what an assistant thought in earlier turns; null = not at all. */
  readonly reasoningField: 'reasoning' | 'reasoning_content' | null;
}

const PUBLISHED = ['tools', 'images', 'json_object', 'json_schema', 'logprobs', 'seed', 'stop_sequence'] as const;
const EXTENDED = ['top_k', 'min_p', 'repetition_penalty', 'logit_bias'] as const;
const FORCED = ['regex', 'choice', 'grammar'] as const;
const ENDINGS = ['min_tokens', 'ignore_eos', 'stop_token_ids'] as const;
const STEERED = ['reasoning', 'template_args', 'continue_final'] as const;

/**
 * What each server reads of a request. What is missing here would be ignored there without a word, and is refused here.
 * Ollama reads neither `n`, `tool_choice`, `logit_bias` nor the samplers beyond top_p; llama-server has no regular
 * expressions and no ends by token.
 */
export const FLAVOURS: Readonly<Record<UpstreamFlavour, FlavourTraits>> = {
  vllm: {
    caps: [...PUBLISHED, ...EXTENDED, ...FORCED, ...ENDINGS, ...STEERED, 'tool_choice', 'n', 'exact_usage'],
    tellsStop: true,
    echoes: false,
    countsApart: false,
    reasoningField: 'reasoning',
  },
  sglang: {
    caps: [...PUBLISHED, ...EXTENDED, ...FORCED, ...ENDINGS, ...STEERED, 'tool_choice', 'n', 'exact_usage'],
    tellsStop: true,
    echoes: false,
    countsApart: false,
    reasoningField: 'reasoning_content',
  },
  'llama-server': {
    caps: [...PUBLISHED, ...EXTENDED, ...STEERED, 'choice', 'grammar', 'ignore_eos', 'tool_choice', 'n', 'exact_usage', 'cached_tokens'],
    tellsStop: false,
    echoes: true,
    countsApart: true,
    reasoningField: 'reasoning_content',
  },
  ollama: { caps: [...PUBLISHED, 'reasoning'], tellsStop: false, echoes: false, countsApart: false, reasoningField: 'reasoning' },
  // Nearly every server that people run reads these samplers, and one that does not know them usually says so.
  other: {
    caps: [...PUBLISHED, ...EXTENDED, 'tool_choice', 'n'],
    tellsStop: false,
    echoes: false,
    countsApart: false,
    reasoningField: null,
  },
};

interface Need {
  readonly cap: Capability;
  /** The field of the chat contract that asks for it. */
  readonly param: string;
  readonly asked: (request: CanonicalRequest) => boolean;
}

const hasImage = ({ messages }: CanonicalRequest): boolean => messages.some(({ content }) => content.some(({ type }) => type === 'image'));

const NEEDS: readonly Need[] = [
  { cap: 'tools', param: 'tools', asked: ({ tools }) => tools !== undefined },
  { cap: 'json_object', param: 'response_format', asked: ({ output }) => output?.kind === 'json_object' },
  { cap: 'json_schema', param: 'response_format', asked: ({ output }) => output?.kind === 'json_schema' },
  { cap: 'regex', param: 'structured_outputs', asked: ({ output }) => output?.kind === 'regex' },
  { cap: 'choice', param: 'structured_outputs', asked: ({ output }) => output?.kind === 'choice' },
  { cap: 'grammar', param: 'structured_outputs', asked: ({ output }) => output?.kind === 'grammar' },
  { cap: 'logprobs', param: 'logprobs', asked: ({ logprobs }) => logprobs !== undefined },
  { cap: 'n', param: 'n', asked: ({ n }) => (n ?? 1) > 1 },
  { cap: 'continue_final', param: 'continue_final_message', asked: ({ continue_final: continues }) => continues === true },
  {
    cap: 'template_args',
    param: 'chat_template_kwargs',
    asked: ({ template_args: args }) => args !== undefined && Object.keys(args).length > 0,
  },
  { cap: 'top_k', param: 'top_k', asked: ({ sampling }) => (sampling.top_k ?? 0) > 0 },
  { cap: 'min_p', param: 'min_p', asked: ({ sampling }) => (sampling.min_p ?? 0) > 0 },
  { cap: 'repetition_penalty', param: 'repetition_penalty', asked: ({ sampling }) => (sampling.repetition_penalty ?? 1) !== 1 },
  { cap: 'seed', param: 'seed', asked: ({ sampling }) => sampling.seed !== undefined },
  { cap: 'logit_bias', param: 'logit_bias', asked: ({ sampling }) => Object.keys(sampling.logit_bias ?? {}).length > 0 },
  { cap: 'min_tokens', param: 'min_tokens', asked: ({ sampling }) => (sampling.min_tokens ?? 0) > 0 },
  { cap: 'ignore_eos', param: 'ignore_eos', asked: ({ sampling }) => sampling.ignore_eos === true },
  { cap: 'stop_token_ids', param: 'stop_token_ids', asked: ({ sampling }) => (sampling.stop_token_ids ?? []).length > 0 },
];

/** A server, and what it can do. */
export interface UpstreamTalent {
  readonly flavour: UpstreamFlavour;
  readonly caps: readonly Capability[];
}

/**
 * Refuses what the server would ignore or do wrongly, instead of asking for it.
 * @throws ServiceError that names the field of the chat contract.
 */
export function assertSupported(request: CanonicalRequest, talent: UpstreamTalent): void {
  const { caps } = talent;
  for (const { cap, param, asked } of NEEDS) {
    if (!caps.includes(cap) && asked(request)) {
      throw new ServiceError('unsupported_parameter', `The engine of this deployment does not support ${param}.`, { param });
    }
  }
  if (!caps.includes('images') && hasImage(request)) {
    throw new ServiceError('unsupported_content', 'The model of this deployment takes no images.', { param: 'messages' });
  }
  assertToolChoice(request, caps);
  assertLastTurn(request, talent);
  if (talent.flavour === 'llama-server') assertForLlamaServer(request);
}

function assertToolChoice({ tools, tool_choice: choice }: CanonicalRequest, caps: readonly Capability[]): void {
  if (choice === undefined || choice === 'auto' || choice === 'none') return;
  if (!caps.includes('tool_choice')) {
    throw new ServiceError('unsupported_value', 'The engine of this deployment cannot force a tool call; leave the choice at auto.', {
      param: 'tool_choice',
    });
  }
  const known = choice === 'required' ? tools !== undefined : tools?.some(({ name }) => name === choice.name) === true;
  if (!known)
    throw new ServiceError('invalid_value', 'tool_choice names a tool that the request does not offer.', { param: 'tool_choice' });
}

/** Servers that make something else of a last message of the assistant than a turn that is over. */
const CONTINUES_OR_REWRITES = new Set<UpstreamFlavour>(['llama-server', 'sglang']);

function assertLastTurn({ messages, continue_final: continues }: CanonicalRequest, { flavour }: UpstreamTalent): void {
  const last = messages.at(-1);
  if (continues === true && (last?.role !== 'assistant' || last.tool_calls !== undefined)) {
    throw new ServiceError('invalid_value', 'Only a last message of the assistant without tool calls can be continued.', {
      param: 'continue_final_message',
    });
  }
  if (continues !== true && last?.role === 'assistant' && CONTINUES_OR_REWRITES.has(flavour)) {
    throw new ServiceError(
      'unsupported_value',
      'The engine of this deployment cannot begin a new turn after a message of the assistant; end with a user message, or set continue_final_message.',
      { param: 'messages' },
    );
  }
}

function assertForLlamaServer({ tools, tool_choice: choice, output, logprobs }: CanonicalRequest): void {
  if (tools === undefined) return;
  if (logprobs !== undefined) {
    throw new ServiceError('unsupported_parameter', 'The engine of this deployment gives no log probabilities beside tools.', {
      param: 'logprobs',
    });
  }
  if ((output?.kind === 'choice' || output?.kind === 'grammar') && choice !== 'none') {
    throw new ServiceError('unsupported_parameter', 'The engine of this deployment takes no grammar beside tools.', {
      param: 'structured_outputs',
    });
  }
}
