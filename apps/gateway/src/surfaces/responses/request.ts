import type { CanonicalRequest, OutputFormat, ServiceError } from '@slipway/contracts';
import type { z } from 'zod';
import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import { readerOf } from '../shared/checker.js';
import { fault, WORDING } from '../shared/error-object.js';
import { isAbsent, type JsonObject, type Present, withoutNulls } from '../shared/faults.js';
import { MAX_INT32 } from '../shared/fields.js';
import { structuredOutputOf } from '../shared/output-forms.js';
import { checkEnd, samplingOf, stopOf, templateArgsOf } from '../shared/sampling.js';
import type { FieldNames, RequestPolicy, SurfaceRequest } from '../surface.js';
import type { StoredValues } from '../../stored/stored-values.js';
import { readInput } from './conversation.js';
import { checkCapabilities } from './errors.js';
import { conversationOf, storedConversation } from '../../stored/references.js';
import { ChatFields, NotOffered, Settings, Structure } from './schema.js';
import { readTools, type ToolFace } from './tools.js';

/** Longest JSON of instructions, tools and output form that is repeated in answers. */
const ECHO_CHARS_MAX = 16 * 1024;

/** A checked request of the responses contract. */
export interface ResponsesRequest extends SurfaceRequest {
  /** How the tools appear in calls, by the engine's names. */
  readonly faces: ReadonlyMap<string, ToolFace>;
  /** Members of the answer that repeat the request, as JSON without braces. */
  readonly echo: string;
  readonly logprobs: boolean;
  /** Only the first call is shown. */
  readonly oneCall: boolean;
  /** Reasoning items carry `encrypted_content`. */
  readonly encrypts: boolean;
  /** The whole conversation as it is stored with the response; null = it is not stored. */
  readonly conversation: string | null;
  /** Id of the response that this one continues. */
  readonly previous: string | null;
}

type Plain = Present<z.output<typeof Settings>>;
type Body = Present<z.output<typeof Structure>>;

const rejectChatFields = readerOf(ChatFields, WORDING);
const rejectNotOffered = readerOf(NotOffered, WORDING);
const readSettings = readerOf(Settings, WORDING);
const readStructure = readerOf(Structure, WORDING);

/** The error of a `model` that is not the deployment of the path. @param slug of that deployment. */
export const wrongModel = (slug: string): ServiceError =>
  fault('model_mismatch', 'model', `'model' names another deployment than the URL; send "${slug}".`);

/**
 * Converts a request body into the canonical request.
 * @param stored the stored values that the body refers to; undefined = the deployment stores nothing
 * @throws ServiceError naming the first fault
 */
export function readResponsesRequest(
  body: JsonObject,
  deployment: ResolvedDeployment,
  { imageHosts }: RequestPolicy,
  stored?: StoredValues,
): ResponsesRequest {
  const present = withoutNulls(body);
  rejectChatFields(present);
  rejectNotOffered(present);
  const settings = readSettings(present);
  checkSettings(settings);
  const structure = readStructure(present);
  const tools = readTools(structure);
  const conversation = conversationOf(structure.input, settings.previous_response_id, stored);
  const input = readInput(settings.instructions, conversation, tools, imageHosts);
  const form = outputOf(structure);
  const canonical: CanonicalRequest = {
    messages: input.messages,
    sampling: samplingOf(settings),
    stop: stopOf(structure),
    ...limitOf(settings, deployment),
    ...tools.fields,
    ...(form && { output: form.output }),
    ...answerOf(settings),
    ...templateArgsOf(structure),
  };
  if (!deployment.isNamed(settings.model)) throw wrongModel(deployment.slug);
  const output = form?.param ?? TEXT_FORMAT;
  checkCapabilities(canonical, deployment.facts.caps, { image: input.firstImage, call: input.firstCall, output });
  return {
    canonical,
    stream: settings.stream ?? false,
    affinity: settings.prompt_cache_key,
    names: namesOf(output),
    ...(tools.ignored.length > 0 && { ignored: tools.ignored.map((i) => `tools[${i}]`) }),
    faces: tools.faces,
    echo: echoOf(settings, structure, tools.ignored),
    logprobs: canonical.logprobs !== undefined,
    oneCall: canonical.parallel_tool_calls === false,
    encrypts: settings.store === false || includes(settings, 'reasoning.encrypted_content'),
    conversation: deployment.facts.store && settings.store !== false ? storedConversation(conversation) : null,
    previous: settings.previous_response_id ?? null,
  };
}

/** Checks rules between plain fields. @throws ServiceError */
function checkSettings(settings: Plain): void {
  const { stream_options: options } = settings;
  if (options && !settings.stream) {
    throw fault('invalid_value', 'stream_options', "'stream_options' is only allowed when 'stream' is true.");
  }
  checkEnd(settings, settings.max_output_tokens, 'max_output_tokens');
}

const includes = ({ include = [] }: Plain, what: string): boolean => include.includes(what);

/** Without a limit, the room left counts: clients treat an answer that a default cut as failed. */
function limitOf({ max_output_tokens: wanted }: Plain, { facts }: ResolvedDeployment): Partial<CanonicalRequest> {
  return wanted === undefined ? { fills_context: true } : { max_tokens: Math.min(wanted, facts.context ?? MAX_INT32) };
}

/** Log probabilities and reasoning. */
function answerOf(settings: Plain): Partial<CanonicalRequest> {
  const { top_logprobs: top = 0, reasoning } = settings;
  const effort = reasoning?.effort;
  return {
    ...((top > 0 || includes(settings, 'message.output_text.logprobs')) && { logprobs: top }),
    ...(!isAbsent(effort) && { reasoning: { effort } }),
  };
}

const TEXT_FORMAT = 'text.format';

/** The requested output format, and the field that requests it; null = free text. */
function outputOf({ text, structured_outputs: structured }: Body): { param: string; output: OutputFormat } | null {
  const format = isAbsent(text?.format) ? null : formatOf(text.format);
  const own = structured && structuredOutputOf(structured, 'structured_outputs');
  if (format && own) throw fault('invalid_value', 'structured_outputs', `'structured_outputs' cannot be combined with '${TEXT_FORMAT}'.`);
  if (format) return { param: TEXT_FORMAT, output: format };
  return own ? { param: 'structured_outputs', output: own } : null;
}

function formatOf(format: NonNullable<NonNullable<Body['text']>['format']>): OutputFormat | null {
  if (format.type === 'text') return null;
  if (format.type === 'json_object') return { kind: 'json_object' };
  const { name, strict } = format;
  const { $schema: _dialect, ...schema } = format.schema;
  return { kind: 'json_schema', name, schema, ...(!isAbsent(strict) && { strict }) };
}

/** This contract's names of engines' fields. */
const namesOf = (output: string): FieldNames => ({
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  response_format: output,
  structured_outputs: output,
  reasoning_effort: 'reasoning.effort',
});

/** Plain fields that answers repeat, with what they say where the request has none. */
const REPEATED = {
  ...{ temperature: null, top_p: null, top_logprobs: 0, max_output_tokens: null, truncation: 'disabled', metadata: {} },
} as const satisfies Partial<Record<keyof Plain, unknown>>;
const REPEATED_STRUCTURE = { tool_choice: 'auto', parallel_tool_calls: true } as const satisfies Partial<Record<keyof Body, unknown>>;

const repeated = (given: JsonObject, usual: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(usual).map(([name, value]) => [name, given[name] ?? value]));

/** The members of an answer that repeat the request. */
function echoOf(settings: Plain, structure: Body, ignored: readonly number[]): string {
  const { tools = [], text } = structure;
  const shown = tools.filter((_, i) => !ignored.includes(i));
  const long = { instructions: settings.instructions ?? null, tools: shown, text: { format: text?.format ?? { type: 'text' } } };
  const isLong = JSON.stringify(long).length > ECHO_CHARS_MAX;
  const members = {
    ...repeated(settings, REPEATED),
    ...repeated(structure, REPEATED_STRUCTURE),
    reasoning: { effort: settings.reasoning?.effort ?? null, summary: null },
    ...(isLong ? { instructions: null, tools: [], text: {}, tool_choice: 'auto' } : long),
  };
  return JSON.stringify(members).slice(1, -1);
}
