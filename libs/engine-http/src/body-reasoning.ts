import type { CanonicalRequest } from '@slipway/contracts';
import type { UpstreamTalent } from './unsupported.js';

type Fields = Record<string, unknown>;
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
