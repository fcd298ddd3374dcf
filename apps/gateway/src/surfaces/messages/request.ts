import {
  type CanonicalRequest,
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
import { isAbsent, isObject, type JsonObject, type Present, withoutNulls } from '../shared/faults.js';
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
import type { Conversation } from './turns.js';

/** A messages request, understood. */
export interface MessagesRequest extends SurfaceRequest {
  readonly thinking: ThinkingDisplay;
  /** As the client asked, before it was fitted to the context; 0 = evaluate the prompt and answer with an empty message. */
  readonly maxTokens: number;
  /** Of several calls, the client takes the first and no other. */
  readonly oneCall: boolean;
}

type Settings = Present<z.output<typeof CountSettings>>;
type Tools = Present<z.output<typeof MessagesTools>>;
type Format = NonNullable<z.output<typeof MessagesOlderOutput>['output_format']>;

const readSettings = readerOf(MessagesSettings, WORDING);
const readCountSettings = readerOf(CountSettings, WORDING);
const refuseNotOffered = readerOf(MessagesNotOffered, WORDING);
const readConversationFields = readerOf(MessagesConversation, WORDING);
const readTools = readerOf(MessagesTools, WORDING);
const readOutput = readerOf(MessagesOutput, WORDING);
const readOlderOutput = readerOf(MessagesOlderOutput, WORDING);

/** The refusal of a `model` that is not the deployment of the path. @param slug of that deployment. */
export const wrongModel = (slug: string): ServiceError =>
  fault('model_mismatch', 'model', `It names another deployment than the URL; send "${slug}".`);

/**
 * Turns a request body into the canonical request, or into the error that names its first fault.
 * @throws ServiceError
 */
export function readMessagesRequest(body: JsonObject, deployment: ResolvedDeployment, policy: RequestPolicy): MessagesRequest {
  const present = withoutNulls(body);
  const settings = readSettings(present);
  const { canonical, thinking, form } = understand(present, settings, deployment, policy);
  const { max_tokens: maxTokens } = settings;
  // More than the context holds means as much as fits. Engines make one token at least, which an answer of none leaves out.
  const limit = Math.max(1, Math.min(maxTokens, deployment.facts.context ?? MAX_INT32));
  return {
    canonical: { ...canonical, max_tokens: limit },
    stream: settings.stream ?? false,
    affinity: undefined,
    names: namesOf(form),
    thinking: thinking.display,
    maxTokens,
    oneCall: canonical.parallel_tool_calls === false,
  };
}

/** What an engine says of the form belongs to the field that asked for it. */
function namesOf(form: OutputForm | null): FieldNames {
  return form?.at === 'output_format' ? { response_format: form.at, structured_outputs: form.at } : {};
}

/** Turns the body of a question for its prompt's length into the request that would be answered. @throws ServiceError */
export function readCountRequest(body: JsonObject, deployment: ResolvedDeployment, policy: RequestPolicy): SurfaceRequest {
  const present = withoutNulls(body);
  const { canonical } = understand(present, readCountSettings(present), deployment, policy);
  return { canonical, stream: false, affinity: undefined };
}

interface Understood {
  readonly canonical: CanonicalRequest;
  readonly thinking: Thinking;
  readonly form: OutputForm | null;
}

function understand(body: JsonObject, settings: Settings, deployment: ResolvedDeployment, policy: RequestPolicy): Understood {
  refuseThread(body);
  refuseCompaction(body);
  refuseNotOffered(body);
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
 * A client that keeps its conversation in a thread sends only what is new in it: an answer without the rest would be wrong
 * unnoticed. With this very code the official SDK falls back to whole conversations.
 */
function refuseThread({ thread }: JsonObject): void {
  if (isAbsent(thread)) return;
  throw new ServiceError('unsupported_parameter', 'thread: Threads are not supported; send the whole conversation.', {
    param: 'thread',
    facts: { error_code: 'thread_unsupported_request' },
  });
}

const isCompaction = (edit: unknown): boolean => isObject(edit) && typeof edit['type'] === 'string' && edit['type'].startsWith('compact_');

/** Edits that only drop what is not kept here anyway pass. */
function refuseCompaction({ context_management: management }: JsonObject): void {
  const edits = isObject(management) ? management['edits'] : undefined;
  const at = Array.isArray(edits) ? edits.findIndex(isCompaction) : -1;
  if (at !== -1) throw fault('unsupported_value', `context_management.edits.${at}.type`, 'Conversations are not compacted here.');
}

/** Whether the model thinks, and what is shown of it. */
interface Thinking {
  readonly reasoning: Reasoning;
  readonly display: ThinkingDisplay;
}

type ThinkingField = NonNullable<Settings['thinking']>;

/**
 * Thinking is off unless it is asked for. A request for an effort alone leaves it to the model, and is shown none of it.
 * @param endsWithResults the model is about to answer results of its calls.
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
 * The tools that the model is shown, and how it may use them. Those whose loading is deferred stay out until a result has
 * made them known.
 * @throws ServiceError for two tools of one name, and for a choice that is required of no tool.
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
  // Members that are for other readers than the model.
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

/** The form that an answer is to take, and the field that asks for it. */
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

/** An answer that was begun has no room for thoughts before it, and cannot become a call. */
function checkPrefill({ prefill }: Conversation, { reasoning, tool_choice: choice }: CanonicalRequest): void {
  if (prefill === undefined) return;
  const isForced = choice !== undefined && choice !== 'auto' && choice !== 'none';
  if (reasoning?.enabled === true)
    throw fault('invalid_value', prefill, 'An answer cannot be continued with thinking on; end with a user message.');
  if (isForced) throw fault('invalid_value', prefill, 'An answer cannot be continued where a call is required; end with a user message.');
}

function samplingOf({ temperature, top_p: topP, top_k: topK }: Settings): Sampling {
  return {
    ...(temperature !== undefined && { temperature }),
    // An empty nucleus means the most probable token; engines refuse it, so it travels as what it means.
    ...(topP === 0 ? { temperature: 0 } : topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
  };
}
