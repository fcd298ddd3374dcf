import { ERRORS, type ErrorCode, type ServiceError } from '@slipway/contracts';
import { z } from 'zod';

/** Why a tool did nothing, in a form that an agent can act on. */
export const ToolFailure = z.object({
  code: z.string(),
  message: z.string().describe('What is wrong and what to do.'),
  retryable: z.boolean().describe('Whether the same call may succeed a little later.'),
  retry_after_seconds: z.int().optional(),
  argument: z.string().optional().describe('The argument that is wrong.'),
  next_tool: z.string().optional().describe('The tool that helps further.'),
});
export type ToolFailure = z.infer<typeof ToolFailure>;

/** Which tool tells what somebody got wrong, or does what must come first. */
const NEXT_TOOL: Partial<Record<ErrorCode, string>> = {
  deployment_not_found: 'list_deployments',
  deployment_not_stopped: 'stop_deployment',
  alias_taken: 'get_deployment',
  key_not_found: 'list_deployment_keys',
  source_not_allowed: 'list_models',
};

/** Fields of the services that are arguments of another name here. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  deployment: 'slug',
  source: 'model',
  context: 'context_length',
  expected_rev: 'expected_revision',
  key: 'key_id',
};

/** Words a refusal of a service, whose fields have other names than the tools' arguments. */
export function failureOf({ code, message, param, retryAfterS }: ServiceError): ToolFailure {
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
