import type { CanonicalRequest, Sampling, ServiceError } from '@slipway/contracts';
import type { z } from 'zod';
import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import type { FieldNames, RequestPolicy, SurfaceRequest } from '../surface.js';
import { checkCapabilities } from './messages.capabilities.js';
import { readConversation } from './messages.conversation.js';
import { fault } from './messages.fault.js';
import { formatField, readOutput } from './messages.output.js';
import { firstRefusal } from './messages.refusals.js';
import { CountFields, MessagesFields } from './messages.schema.js';
import { readFields } from './messages.schema-fault.js';
import { readThinking, type Thinking, type ThinkingDisplay } from './messages.thinking.js';
import { readToolChoice } from './messages.tool-choice.js';
import { readTools } from './messages.tools.js';
import type { Conversation } from './messages.turns.js';

/** Engines count tokens in 32 bits. */
const MAX_TOKENS = 2 ** 31 - 1;

type Body = Readonly<Record<string, unknown>>;

/** A messages request, understood. */
export interface MessagesRequest extends SurfaceRequest {
  readonly thinking: ThinkingDisplay;
  /** As the client asked, before it was fitted to the context; 0 = evaluate the prompt and say nothing. */
  readonly maxTokens: number;
  /** Of several calls, the client takes the first and no other. */
  readonly oneCall: boolean;
}

/** The refusal of a `model` that is not the deployment of the path. @param slug of that deployment. */
export const messagesWrongModel = (slug: string): ServiceError =>
  fault('model_mismatch', 'model', `It names another deployment than the URL; send "${slug}".`);

interface Understood<F> {
  readonly fields: F;
  readonly canonical: CanonicalRequest;
  readonly thinking: Thinking;
}

/**
 * Turns a request body into the canonical request, or into the error that names its first fault.
 * @throws ServiceError
 */
export function readMessagesRequest(body: Body, deployment: ResolvedDeployment, policy: RequestPolicy): MessagesRequest {
  const { fields, canonical, thinking } = understand(body, MessagesFields, deployment, policy);
  const { max_tokens: maxTokens } = fields;
  // More than the context holds means as much as fits. Engines say one token at least; of an answer of none it is left out.
  const limit = Math.max(1, Math.min(maxTokens, deployment.facts.context ?? MAX_TOKENS));
  return {
    canonical: { ...canonical, max_tokens: limit },
    stream: fields.stream ?? false,
    affinity: undefined,
    names: namesOf(body),
    thinking: thinking.display,
    maxTokens,
    oneCall: canonical.parallel_tool_calls === false,
  };
}

/** What an engine says of the form belongs to the field that asked for it. */
function namesOf(body: Body): FieldNames {
  return formatField(body)?.at === 'output_format' ? { response_format: 'output_format', structured_outputs: 'output_format' } : {};
}

/** Turns the body of a question for its prompt's length into the request that would be answered. @throws ServiceError */
export function readCountRequest(body: Body, deployment: ResolvedDeployment, policy: RequestPolicy): SurfaceRequest {
  return { canonical: understand(body, CountFields, deployment, policy).canonical, stream: false, affinity: undefined };
}

function understand<F extends CountFields>(
  body: Body,
  schema: z.ZodType<F>,
  deployment: ResolvedDeployment,
  policy: RequestPolicy,
): Understood<F> {
  const present = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  const fields = readFields(present, schema);
  const refusal = firstRefusal(present);
  if (refusal) throw refusal;
  const conversation = readConversation(fields.system, fields.messages, policy);
  const thinking = readThinking(fields, conversation.endsWithResults);
  const canonical = canonicalOf(present, fields, conversation, thinking);
  checkPrefill(conversation, canonical);
  if (!deployment.isNamed(fields.model)) throw messagesWrongModel(deployment.slug);
  const { firstImage: image, prefill } = conversation;
  checkCapabilities(canonical, deployment.facts.caps, { image, prefill, format: formatField(present)?.at });
  return { fields, canonical, thinking };
}

function canonicalOf(body: Body, fields: CountFields, conversation: Conversation, { reasoning }: Thinking): CanonicalRequest {
  const tools = readTools(body['tools'], conversation.knownTools);
  const choice = readToolChoice(body['tool_choice'], tools);
  const output = readOutput(body);
  return {
    messages: conversation.messages,
    sampling: samplingOf(fields),
    stop: fields.stop_sequences ?? [],
    ...(tools.length > 0 && { tools }),
    ...choice,
    ...(output && { output }),
    reasoning,
    ...(conversation.prefill !== undefined && { continue_final: true }),
  };
}

/** An answer that was begun has no room for thoughts before it, and cannot become a call. */
function checkPrefill({ prefill }: Conversation, { reasoning, tool_choice: choice }: CanonicalRequest): void {
  if (prefill === undefined) return;
  const isForced = choice !== undefined && choice !== 'auto' && choice !== 'none';
  if (reasoning?.enabled === true)
    throw fault('invalid_value', prefill, 'An answer cannot be continued with thinking on; end with a user message.');
  if (isForced) throw fault('invalid_value', prefill, 'An answer cannot be continued where a call is required; end with a user message.');
}

function samplingOf({ temperature, top_p: topP, top_k: topK }: CountFields): Sampling {
  return {
    ...(temperature !== undefined && { temperature }),
    // A nucleus of nothing is the most probable token; engines refuse it, so it travels as what it means.
    ...(topP === 0 ? { temperature: 0 } : topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
  };
}
