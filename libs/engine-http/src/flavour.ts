import type { Capability } from '@slipway/contracts';

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
