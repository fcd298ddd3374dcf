import { type CanonicalRequest, type ErrorCode, type Sampling, ServiceError } from '@slipway/contracts';
import type { z } from 'zod';
import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import type { SurfaceRequest } from '../surface.js';
import { readMessage } from './chat.messages.js';
import { firstRefusal } from './chat.refusals.js';
import { ChatFields } from './chat.schema.js';

/** Engines count tokens in 32 bits. */
const MAX_TOKENS = 2 ** 31 - 1;
const SEEDS = 2n ** 32n;

/** A chat request, understood. */
export interface ChatRequest extends SurfaceRequest {
  /** A last chunk with the token counts is wanted. */
  readonly includeUsage: boolean;
}

/**
 * Turns a request body into the canonical request, or into the error that names its first fault.
 * @throws ServiceError
 */
export function readChatRequest(body: Record<string, unknown>, deployment: ResolvedDeployment): ChatRequest {
  const present = withoutNulls(body);
  const fields = readFields(present);
  const stream = fields.stream ?? false;
  if (fields.stream_options && !stream) {
    throw new ServiceError('invalid_value', "'stream_options' is only allowed when 'stream' is true.", { param: 'stream_options' });
  }
  const refusal = firstRefusal(present);
  if (refusal) throw refusal;
  const messages = fields.messages.map((message, i) => readMessage(message, `messages[${i}]`));
  if (!deployment.isNamed(fields.model)) {
    throw new ServiceError('model_mismatch', `'model' names another deployment than the URL; send "${deployment.slug}".`, {
      param: 'model',
    });
  }
  return {
    canonical: { messages, sampling: samplingOf(fields), stop: stopOf(fields), ...maxTokensOf(fields, deployment) },
    stream,
    includeUsage: fields.stream_options?.include_usage ?? false,
    affinity: fields.prompt_cache_key,
  };
}

/** Null means absent, in every field. */
function withoutNulls(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

function readFields(body: Record<string, unknown>): ChatFields {
  const parsed = ChatFields.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (!issue) throw new ServiceError('invalid_value', 'The request is not valid.');
  throw faultOf(issue, body);
}

function faultOf(issue: z.core.$ZodIssue, body: Record<string, unknown>): ServiceError {
  const param = paramOf(issue.path);
  const code = codeOf(issue, valueAt(body, issue.path));
  if (code === 'missing_required_parameter') return new ServiceError(code, `'${param}' is required.`, { param });
  return new ServiceError(
    code,
    `'${param}' is not valid: ${issue.message.replace(/^(Invalid input|Too big|Too small|Invalid string): /, '')}.`,
    { param },
  );
}

function codeOf(issue: z.core.$ZodIssue, value: unknown): ErrorCode {
  if (issue.path[0] === 'model' || value === undefined) return 'missing_required_parameter';
  switch (issue.code) {
    case 'invalid_type':
    case 'invalid_union':
      return 'invalid_type';
    case 'too_small':
      if (issue.origin === 'array') return 'empty_array';
      return Number.isInteger(value) ? 'integer_below_min_value' : 'invalid_value';
    case 'too_big':
      return issue.origin === 'array' ? 'array_above_max_length' : 'invalid_value';
    default:
      return 'invalid_value';
  }
}

/** A path in the contract's spelling: `messages[0].role`. Entries of free-form objects are named by their object. */
function paramOf(path: readonly PropertyKey[]): string {
  const [field, ...rest] = path;
  if (field === 'logit_bias' || field === 'metadata' || field === 'stop') return field;
  return rest.reduce<string>((name, key) => (typeof key === 'number' ? `${name}[${key}]` : `${name}.${String(key)}`), String(field));
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined),
    body,
  );
}

function samplingOf(fields: ChatFields): Sampling {
  const { temperature, top_p: topP, top_k: topK, min_p: minP, seed, logit_bias: biases } = fields;
  const { frequency_penalty: frequency, presence_penalty: presence, repetition_penalty: repetition } = fields;
  return {
    ...(temperature !== undefined && { temperature }),
    // A nucleus of nothing is the most probable token; engines refuse it, so it travels as what it means.
    ...(topP === 0 ? { temperature: 0 } : topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: Math.max(0, topK) }),
    ...(minP !== undefined && { min_p: minP }),
    ...(seed !== undefined && { seed: Number(((BigInt(seed) % SEEDS) + SEEDS) % SEEDS) }),
    ...(frequency !== undefined && { frequency_penalty: frequency }),
    ...(presence !== undefined && { presence_penalty: presence }),
    ...(repetition !== undefined && { repetition_penalty: repetition }),
    ...(biases !== undefined && { logit_bias: biases }),
  };
}

function stopOf({ stop }: ChatFields): string[] {
  if (stop === undefined) return [];
  return typeof stop === 'string' ? [stop] : stop;
}

/** The newer name wins; more than the context holds means as much as fits, and the worker knows how much that is. */
function maxTokensOf(fields: ChatFields, { facts }: ResolvedDeployment): Pick<CanonicalRequest, 'max_tokens'> {
  const wanted = fields.max_completion_tokens ?? fields.max_tokens;
  return wanted === undefined ? {} : { max_tokens: Math.min(wanted, facts.context ?? MAX_TOKENS) };
}
