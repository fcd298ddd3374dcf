import { ERRORS, type ErrorCode, type ServiceError } from '@slipway/contracts';
import type { ErrorFormat } from '../surface.js';

const REQUEST = 'invalid_request_error';
const SERVER = 'server_error';
/** Limits on requests, as opposed to limits on tokens. */
const REQUESTS = 'requests';
const TOKENS = 'tokens';

/** The contract's `type` for every code. A code that is missing here does not compile. */
const TYPE = {
  missing_api_key: REQUEST,
  invalid_api_key: REQUEST,
  ambiguous_credentials: REQUEST,
  insufficient_scope: REQUEST,
  auth_unavailable: SERVER,
  invalid_path: REQUEST,
  not_found: REQUEST,
  method_not_allowed: REQUEST,
  expectation_failed: REQUEST,
  model_not_found: REQUEST,
  model_mismatch: REQUEST,
  deployment_stopped: REQUEST,
  deployment_unavailable: SERVER,
  overloaded: SERVER,
  rate_limit_exceeded: REQUESTS,
  unsupported_media_type: REQUEST,
  request_timeout: REQUEST,
  request_too_large: REQUEST,
  invalid_json: REQUEST,
  invalid_utf8: REQUEST,
  invalid_unicode: REQUEST,
  json_too_deep: REQUEST,
  missing_required_parameter: REQUEST,
  invalid_type: REQUEST,
  invalid_value: REQUEST,
  empty_array: REQUEST,
  array_above_max_length: REQUEST,
  integer_below_min_value: REQUEST,
  unsupported_parameter: REQUEST,
  unsupported_value: REQUEST,
  unsupported_content: REQUEST,
  context_length_exceeded: REQUEST,
  timeout: SERVER,
  worker_lost: SERVER,
  engine_error: SERVER,
  server_shutting_down: SERVER,
  cancelled: REQUEST,
  invalid_request: REQUEST,
  account_not_found: REQUEST,
  key_not_found: REQUEST,
  key_revoked: REQUEST,
  key_expired: REQUEST,
  mcp_key_exists: REQUEST,
  invalid_credentials: REQUEST,
  session_ended: REQUEST,
  not_permitted: REQUEST,
  account_suspended: REQUEST,
  user_not_found: REQUEST,
  invitation_not_found: REQUEST,
  session_not_found: REQUEST,
  already_member: REQUEST,
  last_owner: REQUEST,
  account_has_owner: REQUEST,
  deployment_not_found: REQUEST,
  deployment_not_stopped: REQUEST,
  slug_taken: REQUEST,
  quota_exceeded: REQUEST,
  alias_taken: REQUEST,
  source_not_allowed: REQUEST,
  unavailable: SERVER,
  internal: SERVER,
} as const satisfies Record<ErrorCode, string>;

/** Clients tell a wrong key from a wrong request by the beginning. */
const KEY_REFUSALS: ReadonlySet<ErrorCode> = new Set(['missing_api_key', 'invalid_api_key']);

/** Clients look for these wordings to tell a prompt that is too long from other faults. */
function contextMessage({ message, facts }: ServiceError): string {
  const { tokens, context, estimated } = facts ?? {};
  if (tokens === undefined || context === undefined) {
    return `The prompt is too long: the messages exceed this model's maximum context length. ${message}`;
  }
  const come = `${estimated ? 'about ' : ''}${tokens} tokens`;
  return `The prompt is too long: this model's maximum context length is ${context} tokens, but the messages come to ${come}. Shorten the messages.`;
}

const messageOf = ({ code, message }: ServiceError): string =>
  KEY_REFUSALS.has(code) ? `Incorrect API key provided. ${message}` : message;

/** The object under `error`: all four keys are always there. */
export function chatErrorObject(error: ServiceError): { message: string; type: string; param: string | null; code: string } {
  const isContext = error.code === 'context_length_exceeded';
  return {
    message: isContext ? contextMessage(error) : messageOf(error),
    type: error.facts?.['limited'] === TOKENS ? TOKENS : TYPE[error.code],
    param: error.param ?? (isContext ? 'messages' : null),
    code: error.code,
  };
}

/** Errors as the chat contract writes them. */
export const chatErrors: ErrorFormat = {
  status: (error) => ERRORS[error.code].status,
  body: (error) => JSON.stringify({ error: chatErrorObject(error) }),
};
