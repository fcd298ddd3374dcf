import type { CanonicalRequest, ServiceError, Tool } from '@slipway/contracts';
import type { z } from 'zod';
import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import { readerOf } from '../shared/checker.js';
import { fault, WORDING } from '../shared/error-object.js';
import { isAbsent, type JsonObject, type Present, withoutNulls } from '../shared/faults.js';
import { firstRepeated, MAX_INT32 } from '../shared/fields.js';
import { checkEnd, samplingOf, stopOf, templateArgsOf } from '../shared/sampling.js';
import type { FieldNames, RequestPolicy, SurfaceRequest } from '../surface.js';
import { readConversation } from './conversation.js';
import { lackOf } from './errors.js';
import { type OutputForm, outputOf } from './output.js';
import { ChatForms, ChatNotOffered, ChatSettings, ChatStructure } from './schema.js';

/** Which chunks of a stream carry token counts: none, one more at the end, or each of them too. */
export type UsageChunks = 'none' | 'last' | 'each';

/** A checked chat request. */
export interface ChatRequest extends SurfaceRequest {
  readonly usage: UsageChunks;
  readonly choices: number;
  readonly logprobs: boolean;
  /** Only the first call is shown. */
  readonly oneCall: boolean;
}

type Settings = Present<z.output<typeof ChatSettings>>;
type Structure = Present<z.output<typeof ChatStructure>>;

const readSettings = readerOf(ChatSettings, WORDING);
const rejectNotOffered = readerOf(ChatNotOffered, WORDING);
const readForms = readerOf(ChatForms, WORDING);
const readStructure = readerOf(ChatStructure, WORDING);

/** The error of a `model` that is not the deployment of the path. @param slug of that deployment. */
export const wrongModel = (slug: string): ServiceError =>
  fault('model_mismatch', 'model', `'model' names another deployment than the URL; send "${slug}".`);

/**
 * Converts a request body into the canonical request.
 * @throws ServiceError naming the first fault
 */
export function readChatRequest(body: JsonObject, deployment: ResolvedDeployment, { imageHosts }: RequestPolicy): ChatRequest {
  const present = withoutNulls(body);
  const settings = readSettings(present);
  checkSettings(settings);
  rejectNotOffered(present);
  const form = outputOf(readForms(present));
  const structure = readStructure(present);
  const messages = readConversation(structure.messages, imageHosts);
  const canonical: CanonicalRequest = {
    messages,
    sampling: samplingOf(settings),
    stop: stopOf(structure),
    ...maxTokensOf(settings, deployment),
    ...toolsOf(structure),
    ...answerOf(settings, form),
    ...templateArgsOf(structure),
    ...continuationOf(structure, messages),
  };
  if (!deployment.isNamed(settings.model)) throw wrongModel(deployment.slug);
  const lack = lackOf(canonical, deployment.facts.caps, form?.param);
  if (lack) throw lack;
  return {
    canonical,
    stream: settings.stream ?? false,
    usage: usageOf(settings),
    choices: canonical.n ?? 1,
    logprobs: canonical.logprobs !== undefined,
    oneCall: canonical.parallel_tool_calls === false,
    affinity: settings.prompt_cache_key,
    names: namesOf(settings, form),
  };
}

const limitOf = ({ max_completion_tokens: newer, max_tokens: older }: Settings): number | undefined => newer ?? older;

/** Checks rules between plain fields. @throws ServiceError */
function checkSettings(settings: Settings): void {
  const limit = limitOf(settings);
  if (settings.stream_options && !settings.stream) {
    throw fault('invalid_value', 'stream_options', "'stream_options' is only allowed when 'stream' is true.");
  }
  if (settings.top_logprobs !== undefined && settings.logprobs !== true) {
    throw fault('invalid_value', 'top_logprobs', "'top_logprobs' needs 'logprobs' to be true.");
  }
  checkEnd(settings, limit, 'max_completion_tokens');
}

/** The client's field names where the contract has several for one of the engines'. */
function namesOf({ max_completion_tokens: limit }: Settings, form: OutputForm | null): FieldNames {
  return {
    ...(form && { response_format: form.param, structured_outputs: form.param }),
    ...(limit !== undefined && { max_tokens: 'max_completion_tokens' }),
  };
}

function usageOf({ stream_options: options }: Settings): UsageChunks {
  if (options?.include_usage !== true) return 'none';
  return options.continuous_usage_stats === true ? 'each' : 'last';
}

/** Output format, choices, log probabilities and reasoning. */
function answerOf(settings: Settings, form: OutputForm | null): Partial<CanonicalRequest> {
  const { n = 1, logprobs, top_logprobs: top = 0, reasoning_effort: effort } = settings;
  return {
    ...(form && { output: form.output }),
    ...(n > 1 && { n }),
    ...(logprobs && { logprobs: top }),
    ...(effort !== undefined && { reasoning: { effort } }),
  };
}

/** The newer name wins. A limit above the context is cut to it. */
function maxTokensOf(settings: Settings, { facts }: ResolvedDeployment): Pick<CanonicalRequest, 'max_tokens'> {
  const wanted = limitOf(settings);
  return wanted === undefined ? {} : { max_tokens: Math.min(wanted, facts.context ?? MAX_INT32) };
}

type ToolFields = Pick<CanonicalRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'>;

/**
 * The tools of a request and how they may be used.
 * @throws ServiceError for two tools of one name, and for a choice of an unknown tool.
 */
function toolsOf({ tools: given = [], tool_choice: choice, parallel_tool_calls: parallel }: Structure): ToolFields {
  const tools = given.map(({ function: definition }) => toolOf(definition));
  const repeated = firstRepeated(tools);
  if (repeated !== -1) {
    const param = `tools[${repeated}].function.name`;
    throw fault('invalid_value', param, `'${param}' is the name of an earlier tool too.`);
  }
  if (tools.length > 0) return { tools, ...choiceOf(choice, tools), ...(parallel !== undefined && { parallel_tool_calls: parallel }) };
  if (choice === undefined || choice === 'none' || choice === 'auto') return {};
  throw fault('invalid_value', 'tool_choice', "Without 'tools', 'tool_choice' can only be none or auto.");
}

function toolOf({ name, description, strict, parameters }: NonNullable<Structure['tools']>[number]['function']): Tool {
  return {
    name,
    ...(!isAbsent(description) && { description }),
    ...(!isAbsent(parameters) && { parameters }),
    ...(!isAbsent(strict) && { strict }),
  };
}

function choiceOf(choice: Structure['tool_choice'], tools: readonly Tool[]): Pick<ToolFields, 'tools' | 'tool_choice'> {
  if (choice === undefined) return {};
  if (typeof choice === 'string') return { tool_choice: choice };
  const allowed = choice.type === 'function' ? [choice] : choice.allowed_tools.tools;
  const names = new Set(allowed.map(({ function: { name } }) => name));
  const shown = tools.filter(({ name }) => names.has(name));
  if (shown.length < names.size) throw fault('invalid_value', 'tool_choice', "The choice names a function that is not among 'tools'.");
  if (choice.type === 'function') return { tool_choice: { name: choice.function.name } };
  // Tools that are not allowed are hidden from the model.
  return { tools: shown, tool_choice: choice.allowed_tools.mode };
}

/**
 * Whether the answer continues the last message instead of starting a turn.
 * @throws ServiceError when there is no message to continue, or both are requested.
 */
function continuationOf(
  { continue_final_message: continues = false, add_generation_prompt: begins }: Structure,
  messages: CanonicalRequest['messages'],
): Pick<CanonicalRequest, 'continue_final'> {
  const param = 'continue_final_message';
  if (!continues && begins === false) {
    throw fault('unsupported_value', 'add_generation_prompt', `'add_generation_prompt' can only be false together with '${param}'.`);
  }
  if (!continues) return {};
  if (begins === true) throw fault('invalid_value', param, `'${param}' cannot be combined with 'add_generation_prompt'.`);
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || last.tool_calls) {
    throw fault('invalid_value', param, 'The last message must be a text of the assistant to go on with.');
  }
  return { continue_final: true };
}
