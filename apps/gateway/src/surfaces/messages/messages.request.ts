import { type ErrorCode, type Sampling, ServiceError } from '@slipway/contracts';
import type { z } from 'zod';
import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import type { SurfaceRequest } from '../surface.js';
import { readConversation } from './messages.conversation.js';
import { fault } from './messages.fault.js';
import { firstRefusal } from './messages.refusals.js';
import { MessagesFields } from './messages.schema.js';

/** Engines count tokens in 32 bits. */
const MAX_TOKENS = 2 ** 31 - 1;

/** What the client sees of a model's thoughts: all, only that there are some, or nothing. */
export type ThinkingDisplay = 'shown' | 'omitted' | 'dropped';

/** A messages request, understood. */
export interface MessagesRequest extends SurfaceRequest {
  readonly thinking: ThinkingDisplay;
  /** As the client asked, before it was fitted to the context; 0 = evaluate the prompt and say nothing. */
  readonly maxTokens: number;
}

/**
 * Turns a request body into the canonical request, or into the error that names its first fault.
 * @throws ServiceError
 */
export function readMessagesRequest(body: Record<string, unknown>, deployment: ResolvedDeployment): MessagesRequest {
  const present = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  const fields = readFields(present);
  const refusal = firstRefusal(present);
  if (refusal) throw refusal;
  checkBudget(fields);
  const messages = readConversation(fields.system, fields.messages);
  if (!deployment.isNamed(fields.model))
    throw fault('model_mismatch', 'model', `It names another deployment than the URL; send "${deployment.slug}".`);
  const { max_tokens: maxTokens } = fields;
  // More than the context holds means as much as fits. Engines say one token at least; of an answer of none it is left out.
  const limit = Math.max(1, Math.min(maxTokens, deployment.facts.context ?? MAX_TOKENS));
  return {
    canonical: { messages, sampling: samplingOf(fields), stop: fields.stop_sequences ?? [], max_tokens: limit },
    stream: fields.stream ?? false,
    affinity: undefined,
    thinking: thinkingOf(fields),
    maxTokens,
  };
}

function readFields(body: Record<string, unknown>): MessagesFields {
  const parsed = MessagesFields.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw issue ? faultOf(issue, body) : new ServiceError('invalid_value', 'The request is not valid.');
}

function faultOf(issue: z.core.$ZodIssue, body: Record<string, unknown>): ServiceError {
  const param = issue.path.map(String).join('.');
  const value = issue.path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined),
    body,
  );
  const code = codeOf(issue, value);
  if (code === 'missing_required_parameter') return fault(code, param, 'Field required');
  return fault(code, param, `${issue.message.replace(/^(Invalid input|Too big|Too small|Invalid option): e/, 'E')}.`);
}

function codeOf(issue: z.core.$ZodIssue, value: unknown): ErrorCode {
  if (issue.path[0] === 'model' || value === undefined) return 'missing_required_parameter';
  if (issue.code === 'invalid_type') return 'invalid_type';
  if (issue.code === 'too_small' && issue.origin === 'array') return 'empty_array';
  if (issue.code === 'too_big' && issue.origin === 'array') return 'array_above_max_length';
  return 'invalid_value';
}

function checkBudget({ thinking, max_tokens: max }: MessagesFields): void {
  if (thinking?.type === 'enabled' && thinking.budget_tokens >= max)
    throw fault('invalid_value', 'thinking.budget_tokens', 'Expected less than max_tokens.');
}

function thinkingOf({ thinking }: MessagesFields): ThinkingDisplay {
  // Between tools means nothing where there are none.
  if (thinking?.type !== 'enabled' && thinking?.type !== 'adaptive') return 'dropped';
  return thinking.display === 'omitted' ? 'omitted' : 'shown';
}

function samplingOf({ temperature, top_p: topP, top_k: topK }: MessagesFields): Sampling {
  return {
    ...(temperature !== undefined && { temperature }),
    // A nucleus of nothing is the most probable token; engines refuse it, so it travels as what it means.
    ...(topP === 0 ? { temperature: 0 } : topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
  };
}
