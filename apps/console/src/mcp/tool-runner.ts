import { isServiceError, ServiceError } from '@slipway/contracts';
import { z } from 'zod';
import type { McpTool, ToolCall } from './mcp-tool.js';
import { failureOf } from './tool-failure.js';

/** What a client gets of a call: the same document as text and as structure. */
export interface ToolResult {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: true;
}

/** What else is told of a call that failed inside. */
export type OnFault = (tool: string, error: ServiceError) => void;

const ISSUES_MAX = 5;

function wordIssue({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}

const withoutWrappers = (schema: unknown): unknown =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? withoutWrappers(schema.unwrap())
    : schema;

/** Arguments as models write them: one value where a list is wanted is a list of one. */
function listsOf(tool: McpTool, args: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args ?? {};
  const entries = Object.entries(args).map(([name, value]: [string, unknown]) => {
    const isList = withoutWrappers(tool.input.shape[name]) instanceof z.ZodArray;
    return [name, isList && (typeof value === 'string' || typeof value === 'number') ? [value] : value] as const;
  });
  return Object.fromEntries(entries);
}

/** One issue for each argument: what follows from the first one tells nothing new. */
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
  const said = firstOfEach(parsed.error.issues).slice(0, ISSUES_MAX).map(wordIssue).join('; ');
  throw new ServiceError('invalid_request', `The arguments of ${tool.name} are not valid. ${said}.`, {
    param: parsed.error.issues[0]?.path.join('.') || undefined,
  });
}

const toServiceError = (thrown: unknown): ServiceError =>
  isServiceError(thrown) ? thrown : new ServiceError('internal', 'The console failed; its log says why.', { cause: thrown });

/** Makes one call of a tool: checks its arguments, does it, and words what came of it. Never throws. */
export async function runTool(tool: McpTool, args: unknown, call: ToolCall, onFault: OnFault): Promise<ToolResult> {
  try {
    const output = tool.output.parse(await tool.run(readInput(tool, args), call));
    return { content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: output };
  } catch (thrown) {
    const error = toServiceError(thrown);
    if (error.code === 'internal' || error.cause !== undefined) onFault(tool.name, error);
    const failure = failureOf(error);
    return { content: [{ type: 'text', text: failure.message }], structuredContent: failure, isError: true };
  }
}
