import type { CanonicalRequest, Capability } from '@slipway/contracts';

type Need = (request: CanonicalRequest) => boolean;

const hasImage: Need = ({ messages }) => messages.some(({ content }) => content.some(({ type }) => type === 'image'));
const hasCalls: Need = ({ messages }) =>
  messages.some((message) => message.role === 'tool' || ('tool_calls' in message && message.tool_calls));

/**
 * When a request needs each capability. Capabilities that are missing here only describe an answer or are best effort, such as
 * the effort of reasoning.
 */
const NEEDS: readonly (readonly [word: Capability, isNeeded: Need])[] = [
  ['images', hasImage],
  ['tools', (request) => request.tools !== undefined || hasCalls(request)],
  ['tool_choice', ({ tool_choice: choice }) => choice !== undefined && choice !== 'auto' && choice !== 'none'],
  ['json_object', ({ output }) => output?.kind === 'json_object'],
  ['json_schema', ({ output }) => output?.kind === 'json_schema'],
  ['regex', ({ output }) => output?.kind === 'regex'],
  ['choice', ({ output }) => output?.kind === 'choice'],
  ['grammar', ({ output }) => output?.kind === 'grammar'],
  ['logprobs', ({ logprobs }) => logprobs !== undefined],
  ['n', ({ n }) => n !== undefined && n > 1],
  ['continue_final', ({ continue_final: continues }) => continues === true],
  ['template_args', ({ template_args: args }) => args !== undefined && Object.keys(args).length > 0],
  ['top_k', ({ sampling }) => (sampling.top_k ?? 0) > 0],
  ['min_p', ({ sampling }) => (sampling.min_p ?? 0) > 0],
  ['repetition_penalty', ({ sampling }) => (sampling.repetition_penalty ?? 1) !== 1],
  ['seed', ({ sampling }) => sampling.seed !== undefined],
  ['logit_bias', ({ sampling }) => Object.keys(sampling.logit_bias ?? {}).length > 0],
  ['min_tokens', ({ sampling }) => (sampling.min_tokens ?? 0) > 0],
  ['ignore_eos', ({ sampling }) => sampling.ignore_eos === true],
  ['stop_token_ids', ({ sampling }) => (sampling.stop_token_ids ?? []).length > 0],
];

/** The capabilities that a request needs beyond plain text. */
export function requiredCapabilities(request: CanonicalRequest): Capability[] {
  return NEEDS.filter(([, isNeeded]) => isNeeded(request)).map(([word]) => word);
}

/**
 * The first capability that a request needs and its deployment lacks, or null.
 * @param caps as the engine reported them; empty = no engine has reported yet, so nothing is missing.
 */
export function missingCapability(request: CanonicalRequest, caps: readonly string[]): Capability | null {
  if (caps.length === 0) return null;
  return requiredCapabilities(request).find((word) => !caps.includes(word)) ?? null;
}
