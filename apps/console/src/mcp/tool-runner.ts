import { type ErrorCode, ERRORS, isServiceError, ServiceError } from '@slipway/contracts';
import { z } from 'zod';
import type { McpTool, ToolCall } from './mcp-tool.js';
import { PersonMustAnswer } from './person.js';

/** The failure of a tool, in a form that an agent can act on. */
export const ToolFailure = z.object({
  code: z.string(),
  message: z.string().describe('The problem and what to do.'),
  retryable: z.boolean().describe('Whether the same call may succeed a little later.'),
  retry_after_seconds: z.int().optional(),
  argument: z.string().optional().describe('The argument that is wrong.'),
  next_tool: z.string().optional().describe('The tool to call next.'),
});
export type ToolFailure = z.infer<typeof ToolFailure>;

/** The tool that helps after an error. */
const NEXT_TOOL: Partial<Record<ErrorCode, string>> = {
  deployment_not_found: 'list_deployments',
  deployment_not_stopped: 'stop_deployment',
  alias_taken: 'get_deployment',
  key_not_found: 'list_deployment_keys',
  source_not_allowed: 'list_models',
  dataset_not_found: 'list_datasets',
  dataset_not_ready: 'get_dataset',
  base_not_found: 'list_tunable_bases',
  job_not_found: 'list_tuning_jobs',
  adapter_not_found: 'list_adapters',
  gate_not_passed: 'get_adapter',
  rollout_in_progress: 'get_rollout',
  rollout_not_found: 'start_rollout',
  deployment_not_ready: 'resume_deployment',
  suite_not_found: 'list_evaluation_suites',
  evaluation_not_found: 'list_evaluations',
};

/** Names of tool arguments for fields of services that are named differently. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  deployment: 'slug',
  source: 'model',
  context: 'context_length',
  expected_rev: 'expected_revision',
  key: 'key_id',
};

/** Converts an error of a service to a failure of a tool. */
function failureOf({ code, message, param, retryAfterS }: ServiceError): ToolFailure {
  const isRetryable = ERRORS[code].retry === 'later';
  const next = NEXT_TOOL[code];
  const argument = param === undefined ? undefined : (ARGUMENTS[param] ?? param);
  return {
    code,
    message: next === undefined ? message : `${message} Call ${next}.`,
    retryable: isRetryable,
    ...(isRetryable && { retry_after_seconds: retryAfterS ?? 2 }),
    ...(argument !== undefined && { argument }),
    ...(next !== undefined && { next_tool: next }),
  };
}

/** Result of a call: one document as text and as structured content; text of data sets in a block of its own. */
export interface ToolResult {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: true;
}

/** Called with internal errors and with errors that have a cause. */
export type OnFault = (tool: string, error: ServiceError) => void;

const ISSUES_MAX = 5;

function issueText({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}

const withoutWrappers = (schema: unknown): unknown =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? withoutWrappers(schema.unwrap())
    : schema;

/** Wraps a single value into a list where the schema expects a list, as models often leave the brackets out. */
function listsOf(tool: McpTool, args: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args ?? {};
  const entries = Object.entries(args).map(([name, value]: [string, unknown]) => {
    const isList = withoutWrappers(tool.input.shape[name]) instanceof z.ZodArray;
    return [name, isList && (typeof value === 'string' || typeof value === 'number') ? [value] : value] as const;
  });
  return Object.fromEntries(entries);
}

/** The first issue of each argument; further ones are mostly consequences. */
function firstOfEach(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const seen = new Set<string>();
  return issues.filter(({ path }) => {
    const place = path.join('.');
    return path.length === 0 || (!seen.has(place) && seen.add(place));
  });
}

function readInput(tool: McpTool, args: unknown): Record<string, unknown> {
  const parsed = z.strictObject(tool.input.shape).safeParse(listsOf(tool, args));
  if (parsed.success) return parsed.data;
  const text = firstOfEach(parsed.error.issues).slice(0, ISSUES_MAX).map(issueText).join('; ');
  throw new ServiceError('invalid_request', `The arguments of ${tool.name} are not valid. ${text}.`, {
    param: parsed.error.issues[0]?.path.join('.') || undefined,
  });
}

const toServiceError = (thrown: unknown): ServiceError =>
  isServiceError(thrown) ? thrown : new ServiceError('internal', 'The console failed; its log has the cause.', { cause: thrown });

/** Calls a tool: validates its arguments, runs it and formats the result or failure. @throws PersonMustAnswer and nothing else */
export async function runTool(tool: McpTool, args: unknown, call: ToolCall, onFault: OnFault): Promise<ToolResult> {
  try {
    const output = tool.output.parse(await tool.run(readInput(tool, args), call));
    const { shown, text } = tool.data?.(output) ?? { shown: output, text: null };
    const blocks = text === null ? [JSON.stringify(shown)] : [JSON.stringify(shown), text];
    return { content: blocks.map((block) => ({ type: 'text', text: block })), structuredContent: output };
  } catch (thrown) {
    if (thrown instanceof PersonMustAnswer) throw thrown;
    const error = toServiceError(thrown);
    if (error.code === 'internal' || error.cause !== undefined) onFault(tool.name, error);
    const failure = failureOf(error);
    return { content: [{ type: 'text', text: failure.message }], structuredContent: failure, isError: true };
  }
}
