import { type CanonicalRequest, type Capability, ServiceError } from '@slipway/contracts';
import type { UpstreamFlavour } from './flavour.js';

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
