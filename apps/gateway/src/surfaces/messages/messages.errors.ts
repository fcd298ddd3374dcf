import type { ErrorCode, ServiceError } from '@slipway/contracts';
import type { ErrorFormat } from '../surface.js';

interface Answer {
  readonly status: number;
  readonly type: string;
}

const answer = (status: number, type: string): Answer => ({ status, type });
const INVALID = answer(400, 'invalid_request_error');
const UNAUTHENTICATED = answer(401, 'authentication_error');
const NOT_FOUND = answer(404, 'not_found_error');
const CONFLICT = answer(409, 'conflict_error');
/** The contract has no 502. */
const FAILED = answer(500, 'api_error');
const UNAVAILABLE = answer(503, 'api_error');
const OVERLOADED = answer(529, 'overloaded_error');

/** The contract's status and `type` for every code. A code that is missing here does not compile. */
const ANSWERS = {
  missing_api_key: UNAUTHENTICATED,
  invalid_api_key: UNAUTHENTICATED,
  ambiguous_credentials: INVALID,
  insufficient_scope: answer(403, 'permission_error'),
  auth_unavailable: UNAVAILABLE,
  invalid_path: INVALID,
  not_found: NOT_FOUND,
  method_not_allowed: answer(405, 'invalid_request_error'),
  expectation_failed: answer(417, 'invalid_request_error'),
  model_not_found: NOT_FOUND,
  model_mismatch: INVALID,
  // Clients word a conflict_error themselves; they show this one's message.
  deployment_stopped: answer(409, 'invalid_request_error'),
  deployment_unavailable: OVERLOADED,
  overloaded: OVERLOADED,
  rate_limit_exceeded: answer(429, 'rate_limit_error'),
  unsupported_media_type: INVALID,
  request_timeout: answer(408, 'timeout_error'),
  request_too_large: answer(413, 'request_too_large'),
  invalid_json: INVALID,
  invalid_utf8: INVALID,
  invalid_unicode: INVALID,
  json_too_deep: INVALID,
  missing_required_parameter: INVALID,
  invalid_type: INVALID,
  invalid_value: INVALID,
  empty_array: INVALID,
  array_above_max_length: INVALID,
  integer_below_min_value: INVALID,
  unsupported_parameter: INVALID,
  unsupported_value: INVALID,
  unsupported_content: INVALID,
  context_length_exceeded: INVALID,
  timeout: answer(504, 'timeout_error'),
  worker_lost: FAILED,
  engine_error: FAILED,
  server_shutting_down: UNAVAILABLE,
  cancelled: answer(499, 'invalid_request_error'),
  invalid_request: INVALID,
  account_not_found: NOT_FOUND,
  key_not_found: NOT_FOUND,
  key_revoked: CONFLICT,
  key_expired: CONFLICT,
  mcp_key_exists: CONFLICT,
  invalid_credentials: UNAUTHENTICATED,
  session_ended: UNAUTHENTICATED,
  not_permitted: answer(403, 'permission_error'),
  account_suspended: answer(403, 'permission_error'),
  user_not_found: NOT_FOUND,
  invitation_not_found: NOT_FOUND,
  session_not_found: NOT_FOUND,
  already_member: CONFLICT,
  last_owner: CONFLICT,
  account_has_owner: CONFLICT,
  deployment_not_found: NOT_FOUND,
  deployment_not_stopped: CONFLICT,
  slug_taken: CONFLICT,
  quota_exceeded: CONFLICT,
  alias_taken: CONFLICT,
  source_not_allowed: INVALID,
  unavailable: UNAVAILABLE,
  internal: FAILED,
} as const satisfies Record<ErrorCode, Answer>;

/** Clients read the figures out of this wording and shorten the conversation. */
function contextMessage(message: string, facts: ServiceError['facts']): string {
  const { tokens, context, estimated } = facts ?? {};
  if (tokens === undefined || context === undefined) return `prompt is too long: ${message}`;
  return `prompt is too long: ${tokens} tokens > ${context} maximum${estimated ? ' (estimated)' : ''}`;
}

/** This contract's names for what engines name as the chat contract does. */
const ENGINE_PARAMS: Readonly<Record<string, string>> = {
  response_format: 'output_config.format',
  structured_outputs: 'output_config.format',
  stop: 'stop_sequences',
  max_completion_tokens: 'max_tokens',
  parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
  reasoning_effort: 'output_config.effort',
  chat_template_kwargs: 'thinking',
};

/** The contract has no field for a parameter's name, so the message begins with it. Places within it are the engine's, not the client's. */
function wordingOf({ code, message, param, facts }: ServiceError): string {
  if (code === 'context_length_exceeded') return contextMessage(message, facts);
  if (param === undefined || message.startsWith(`${param}: `)) return message;
  const name = param.replace(/[.[].*$/, '');
  return `${ENGINE_PARAMS[name] ?? name}: ${message}`;
}

/** JSON of an error, which is the same in a response and in a stream. `facts.error_code` replaces the code that is ours. */
export function messagesErrorBody(error: ServiceError, requestId: string): string {
  const { code, facts } = error;
  return JSON.stringify({
    type: 'error',
    error: { type: ANSWERS[code].type, message: wordingOf(error), details: { error_code: facts?.['error_code'] ?? code } },
    request_id: requestId,
  });
}

/** Errors as the messages contract writes them. */
export const messagesErrors: ErrorFormat = {
  status: ({ code }) => ANSWERS[code].status,
  body: messagesErrorBody,
};
