import {
  type CanonicalRequest,
  isRecord,
  type OutputFormat,
  type Reasoning,
  type Sampling,
  ServiceError,
  type Tool,
  type ToolChoice,
} from '@slipway/contracts';
import type { z } from 'zod';
import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import { readerOf } from '../shared/checker.js';
import { isAbsent, type JsonObject, type Present, withoutNulls } from '../shared/faults.js';
import { firstRepeated, MAX_INT32 } from '../shared/fields.js';
import type { FieldNames, RequestPolicy, SurfaceRequest } from '../surface.js';
import type { ThinkingDisplay } from './blocks.js';
import { readConversation } from './conversation.js';
import { checkCapabilities, fault, WORDING } from './errors.js';
import {
  CountSettings,
  MessagesConversation,
  MessagesNotOffered,
  MessagesOlderOutput,
  MessagesOutput,
  MessagesSettings,
  MessagesTools,
} from './schema.js';
import type { Conversation } from '../shared/turns.js';

/** A checked messages request. */
export interface MessagesRequest extends SurfaceRequest {
  readonly thinking: ThinkingDisplay;
  /** As the client sent it; 0 = evaluate the prompt and return an empty message. */
  readonly maxTokens: number;
  /** Only the first call is shown. */
  readonly oneCall: boolean;
}

type Settings = Present<z.output<typeof CountSettings>>;
type Tools = Present<z.output<typeof MessagesTools>>;
type Format = NonNullable<z.output<typeof MessagesOlderOutput>['output_format']>;

const readSettings = readerOf(MessagesSettings, WORDING);
const readCountSettings = readerOf(CountSettings, WORDING);
const rejectNotOffered = readerOf(MessagesNotOffered, WORDING);
const readConversationFields = readerOf(MessagesConversation, WORDING);
const readTools = readerOf(MessagesTools, WORDING);
const readOutput = readerOf(MessagesOutput, WORDING);
const readOlderOutput = readerOf(MessagesOlderOutput, WORDING);

/** The error of a `model` that is not the deployment of the path. @param slug of that deployment. */
export const wrongModel = (slug: string): ServiceError =>
  fault('model_mismatch', 'model', `It names another deployment than the URL; send "${slug}".`);

/**
 * Converts a request body into the canonical request.
 * @throws ServiceError naming the first fault
 */
export function readMessagesRequest(body: JsonObject, deployment: ResolvedDeployment, policy: RequestPolicy): MessagesRequest {
  const present = withoutNulls(body);
  const settings = readSettings(present);
  const { canonical, thinking, form } = checkBody(present, settings, deployment, policy);
  const { max_tokens: maxTokens } = settings;
  // A limit above the context is cut to it. Engines generate at least one token, which `maxTokens` 0 leaves out of the response.
  const limit = Math.max(1, Math.min(maxTokens, deployment.facts.context ?? MAX_INT32));
  return {
    canonical: { max_tokens: limit, ...canonical },
    stream: settings.stream ?? false,
    affinity: undefined,
    names: namesOf(form),
    thinking: thinking.display,
    maxTokens,
    oneCall: canonical.parallel_tool_calls === false,
  };
}

/** An engine's error about the output format names the field that requested it. */
function namesOf(form: OutputForm | null): FieldNames {
  return form?.at === 'output_format' ? { response_format: form.at, structured_outputs: form.at } : {};
}

/** Converts the body of a token count into the request whose prompt is counted. @throws ServiceError */
export function readCountRequest(body: JsonObject, deployment: ResolvedDeployment, policy: RequestPolicy): SurfaceRequest {
  const present = withoutNulls(body);
  const { canonical } = checkBody(present, readCountSettings(present), deployment, policy);
  return { canonical, stream: false, affinity: undefined };
}

interface CheckedBody {
  readonly canonical: CanonicalRequest;
  readonly thinking: Thinking;
  readonly form: OutputForm | null;
}

function checkBody(body: JsonObject, settings: Settings, deployment: ResolvedDeployment, policy: RequestPolicy): CheckedBody {
  rejectThread(body);
  rejectCompaction(body);
  rejectNotOffered(body);
  const { system, messages } = readConversationFields(body);
  const conversation = readConversation(system, messages, policy);
  const thinking = thinkingOf(settings, conversation.endsWithResults);
  const tools = toolsOf(readTools(body), conversation.knownTools);
  const form = outputOf(body);
  const canonical: CanonicalRequest = {
    messages: conversation.messages,
    sampling: samplingOf(settings),
    stop: settings.stop_sequences ?? [],
    ...tools,
    ...(form && { output: form.output }),
    reasoning: thinking.reasoning,
    ...(conversation.prefill !== undefined && { continue_final: true }),
  };
  checkPrefill(conversation, canonical);
  if (!deployment.isNamed(settings.model)) throw wrongModel(deployment.slug);
  const { firstImage: image, prefill } = conversation;
  checkCapabilities(canonical, deployment.facts.caps, { image, prefill, format: form?.at });
  return { canonical, thinking, form };
}

/**
 * Rejects threads: the client then sends only new messages, and an answer without the others would be wrong. With this code, the
 * official SDK falls back to sending whole conversations.
 */
function rejectThread({ thread }: JsonObject): void {
  if (isAbsent(thread)) return;
  throw new ServiceError('unsupported_parameter', 'thread: Threads are not supported; send the whole conversation.', {
    param: 'thread',
    facts: { error_code: 'thread_unsupported_request' },
  });
}

const isCompaction = (edit: unknown): boolean => isRecord(edit) && typeof edit['type'] === 'string' && edit['type'].startsWith('compact_');

/** Rejects compaction; other edits have no effect and pass. */
function rejectCompaction({ context_management: management }: JsonObject): void {
  const edits = isRecord(management) ? management['edits'] : undefined;
  const at = Array.isArray(edits) ? edits.findIndex(isCompaction) : -1;
  if (at !== -1) throw fault('unsupported_value', `context_management.edits.${at}.type`, 'Conversations are not compacted here.');
}

/** Whether the model reasons, and how the reasoning is shown. */
interface Thinking {
  readonly reasoning: Reasoning;
  readonly display: ThinkingDisplay;
}

type ThinkingField = NonNullable<Settings['thinking']>;

/**
 * Thinking is off by default. With only an effort, the model decides, and its reasoning is hidden.
 * @param endsWithResults the conversation ends with tool results.
 * @throws ServiceError for a budget that leaves no room for an answer.
 */
function thinkingOf({ thinking, max_tokens: max, output_config: config }: Settings, endsWithResults: boolean): Thinking {
  const budget = budgetOf(thinking, max);
  const effort = config?.effort ?? undefined;
  const steered = { ...(effort !== undefined && { effort }), ...(budget !== undefined && { budget }) };
  if (thinking && isOn(thinking, endsWithResults)) return { reasoning: { enabled: true, ...steered }, display: displayOf(thinking) };
  const isLeftToModel = !thinking && effort !== undefined;
  return { reasoning: isLeftToModel ? steered : { enabled: false }, display: 'dropped' };
}

function budgetOf(thinking: ThinkingField | undefined, max = Number.POSITIVE_INFINITY): number | undefined {
  if (thinking?.type !== 'enabled') return undefined;
  if (thinking.budget_tokens >= max) throw fault('invalid_value', 'thinking.budget_tokens', 'Expected less than max_tokens.');
  return thinking.budget_tokens;
}

function isOn({ type }: ThinkingField, endsWithResults: boolean): boolean {
  return type === 'between_tools' ? endsWithResults : type !== 'disabled';
}

const displayOf = (thinking: ThinkingField): ThinkingDisplay =>
  'display' in thinking && thinking.display === 'omitted' ? 'omitted' : 'shown';

type ToolFields = Pick<CanonicalRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'>;

/**
 * The tools for the model and their choice. Deferred tools are left out until a result names them.
 * @throws ServiceError for two tools of one name, and for a required choice without a tool.
 */
function toolsOf({ tools: given = [], tool_choice: choice }: Tools, knownTools: ReadonlySet<string>): ToolFields {
  const repeated = firstRepeated(given);
  if (repeated !== -1) throw fault('invalid_value', `tools.${repeated}.name`, 'An earlier tool has the same name.');
  const tools = given.filter(({ name, defer_loading: isDeferred }) => isDeferred !== true || knownTools.has(name)).map(toolOf);
  if (choice === undefined) return tools.length > 0 ? { tools } : {};
  const wanted = choiceOf(choice, tools);
  if (tools.length === 0) return {};
  return { tools, tool_choice: wanted, ...(choice.disable_parallel_tool_use === true && { parallel_tool_calls: false }) };
}

function toolOf({ name, description, strict, input_schema: schema }: NonNullable<Tools['tools']>[number]): Tool {
  // Members that are not for the model.
  const { $schema: _dialect, cache_control: _cache, ...parameters } = schema;
  return { name, ...(!isAbsent(description) && { description }), parameters, ...(!isAbsent(strict) && { strict }) };
}

function choiceOf(choice: NonNullable<Tools['tool_choice']>, tools: readonly Tool[]): ToolChoice {
  if (choice.type === 'auto' || choice.type === 'none') return choice.type;
  if (tools.length === 0)
    throw fault('invalid_value', 'tool_choice', 'Without tools that the model is shown, only auto and none make sense.');
  if (choice.type === 'any') return 'required';
  const { name } = choice;
  if (!tools.some((tool) => tool.name === name))
    throw fault('invalid_value', 'tool_choice.name', 'The model is shown no tool of this name.');
  return { name };
}

/** The output format, and the field that requests it. */
interface OutputForm {
  readonly output: OutputFormat;
  readonly at: 'output_config.format' | 'output_format';
}

function outputOf(body: JsonObject): OutputForm | null {
  const format = readOutput(body).output_config?.format;
  if (format) return { at: 'output_config.format', output: formatOf(format) };
  const { output_format: older } = readOlderOutput(body);
  return older ? { at: 'output_format', output: formatOf(older) } : null;
}

const formatOf = ({ schema }: Format): OutputFormat => ({ kind: 'json_schema', name: 'output', schema: { ...schema }, strict: true });

/** A continued answer cannot start with reasoning, and cannot become a call. */
function checkPrefill({ prefill }: Conversation, { reasoning, tool_choice: choice }: CanonicalRequest): void {
  if (prefill === undefined) return;
  const isForced = choice !== undefined && choice !== 'auto' && choice !== 'none';
  if (reasoning?.enabled === true)
    throw fault('invalid_value', prefill, 'An answer cannot be continued with thinking on; end with a user message.');
  if (isForced) throw fault('invalid_value', prefill, 'An answer cannot be continued where a call is required; end with a user message.');
}

function samplingOf({ temperature, top_p: topP, top_k: topK }: Settings): Sampling {
  const sampling: Sampling = {};
  if (temperature !== undefined) sampling.temperature = temperature;
  // `top_p` 0 means the most probable token. Engines reject it, so it is sent as temperature 0.
  if (topP === 0) sampling.temperature = 0;
  else if (topP !== undefined) sampling.top_p = topP;
  if (topK !== undefined) sampling.top_k = topK;
  return sampling;
}
