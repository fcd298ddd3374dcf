import type { CanonicalRequest, Sampling, ServiceError } from '@slipway/contracts';
import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import type { FieldNames, RequestPolicy, SurfaceRequest } from '../surface.js';
import { lackOf } from './chat.capabilities.js';
import { fault, type Fields } from './chat.fault.js';
import { readFields, withoutNulls } from './chat.fields.js';
import { readMessage } from './chat.messages.js';
import { refuseNotOffered } from './chat.not-offered.js';
import { type OutputForm, readOutputForm } from './chat.output-form.js';
import type { ChatFields } from './chat.schema.js';
import { readStop } from './chat.stop.js';
import { readContinuation, readTemplateArgs } from './chat.template-args.js';
import { readTools } from './chat.tools.js';

/** Engines count tokens in 32 bits. */
const MAX_TOKENS = 2 ** 31 - 1;
const SEEDS = 2n ** 32n;

/** Which chunks of a stream carry token counts: none, one more at the end, or each of them too. */
export type UsageChunks = 'none' | 'last' | 'each';

/** A chat request, understood. */
export interface ChatRequest extends SurfaceRequest {
  readonly usage: UsageChunks;
  readonly choices: number;
  readonly logprobs: boolean;
  /** Of several calls, the client takes the first and no other. */
  readonly oneCall: boolean;
}

/** The refusal of a `model` that is not the deployment of the path. @param slug of that deployment. */
export const chatWrongModel = (slug: string): ServiceError =>
  fault('model_mismatch', 'model', `'model' names another deployment than the URL; send "${slug}".`);

/**
 * Turns a request body into the canonical request, or into the error that names its first fault.
 * @throws ServiceError
 */
export function readChatRequest(body: Fields, deployment: ResolvedDeployment, { imageHosts }: RequestPolicy): ChatRequest {
  const present = withoutNulls(body);
  const fields = readFields(present);
  refuseNotOffered(present);
  const form = readOutputForm(present);
  const messages = fields.messages.map((message, i) => readMessage(message, `messages[${i}]`, imageHosts));
  const canonical: CanonicalRequest = {
    messages,
    sampling: samplingOf(fields),
    stop: readStop(present['stop']),
    ...maxTokensOf(fields, deployment),
    ...readTools(present),
    ...answerOf(fields, form),
    ...readTemplateArgs(present),
    ...readContinuation(present, messages),
  };
  if (!deployment.isNamed(fields.model)) throw chatWrongModel(deployment.slug);
  const lack = lackOf(canonical, deployment.facts.caps, form?.param);
  if (lack) throw lack;
  return {
    canonical,
    stream: fields.stream ?? false,
    usage: usageOf(fields),
    choices: canonical.n ?? 1,
    logprobs: canonical.logprobs !== undefined,
    oneCall: canonical.parallel_tool_calls === false,
    affinity: fields.prompt_cache_key,
    names: namesOf(fields, form),
  };
}

/** Engines know one name for what has several here. */
function namesOf({ max_completion_tokens: limit }: ChatFields, form: OutputForm | null): FieldNames {
  return {
    ...(form && { response_format: form.param, structured_outputs: form.param }),
    ...(limit !== undefined && { max_tokens: 'max_completion_tokens' }),
  };
}

function usageOf({ stream_options: options }: ChatFields): UsageChunks {
  if (options?.include_usage !== true) return 'none';
  return options.continuous_usage_stats === true ? 'each' : 'last';
}

/** How the answer is to look. */
function answerOf(fields: ChatFields, form: OutputForm | null): Partial<CanonicalRequest> {
  const { n = 1, logprobs, top_logprobs: top = 0, reasoning_effort: effort } = fields;
  return {
    ...(form && { output: form.output }),
    ...(n > 1 && { n }),
    ...(logprobs && { logprobs: top }),
    ...(effort !== undefined && { reasoning: { effort } }),
  };
}

function samplingOf(fields: ChatFields): Sampling {
  const { temperature, top_p: topP, top_k: topK, min_p: minP, seed, logit_bias: biases } = fields;
  return {
    ...(temperature !== undefined && { temperature }),
    // A nucleus of nothing is the most probable token; engines refuse it, so it travels as what it means.
    ...(topP === 0 ? { temperature: 0 } : topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: Math.max(0, topK) }),
    ...(minP !== undefined && { min_p: minP }),
    ...(seed !== undefined && { seed: Number(((BigInt(seed) % SEEDS) + SEEDS) % SEEDS) }),
    ...(biases !== undefined && { logit_bias: biases }),
    ...penaltiesOf(fields),
    ...endOf(fields),
  };
}

function penaltiesOf(fields: ChatFields): Sampling {
  const { frequency_penalty: frequency, presence_penalty: presence, repetition_penalty: repetition } = fields;
  return {
    ...(frequency !== undefined && { frequency_penalty: frequency }),
    ...(presence !== undefined && { presence_penalty: presence }),
    ...(repetition !== undefined && { repetition_penalty: repetition }),
  };
}

/** What ends an answer beside its limit and its stop strings, where that is asked for at all. */
function endOf({ min_tokens: minTokens = 0, ignore_eos: ignoreEos, stop_token_ids: ids = [] }: ChatFields): Sampling {
  return {
    ...(minTokens > 0 && { min_tokens: minTokens }),
    ...(ignoreEos && { ignore_eos: true }),
    ...(ids.length > 0 && { stop_token_ids: ids }),
  };
}

/** The newer name wins; more than the context holds means as much as fits, and the worker knows how much that is. */
function maxTokensOf(fields: ChatFields, { facts }: ResolvedDeployment): Pick<CanonicalRequest, 'max_tokens'> {
  const wanted = fields.max_completion_tokens ?? fields.max_tokens;
  return wanted === undefined ? {} : { max_tokens: Math.min(wanted, facts.context ?? MAX_TOKENS) };
}
