import { type CanonicalRequest, type Capability, type ErrorCode, type InferenceErrorCode, ServiceError } from '@slipway/contracts';
import { missingCapability } from '../shared/capabilities.js';
import { publicCode, type FaultWording } from '../shared/faults.js';
import type { ErrorFormat } from '../surface.js';

interface ErrorStatus {
  readonly status: number;
  readonly type: string;
}

const error = (status: number, type: string): ErrorStatus => ({ status, type });
const INVALID = error(400, 'invalid_request_error');
const UNAUTHENTICATED = error(401, 'authentication_error');
const NOT_FOUND = error(404, 'not_found_error');
/** The contract has no 502. */
const FAILED = error(500, 'api_error');
const UNAVAILABLE = error(503, 'api_error');
const OVERLOADED = error(529, 'overloaded_error');

/** The contract's status and `type` for every code. A code that is missing here does not compile. */
const STATUSES = {
  missing_api_key: UNAUTHENTICATED,
  invalid_api_key: UNAUTHENTICATED,
  ambiguous_credentials: INVALID,
  insufficient_scope: error(403, 'permission_error'),
  auth_unavailable: UNAVAILABLE,
  invalid_path: INVALID,
  not_found: NOT_FOUND,
  method_not_allowed: error(405, 'invalid_request_error'),
  expectation_failed: error(417, 'invalid_request_error'),
  model_not_found: NOT_FOUND,
  model_mismatch: INVALID,
  // Clients replace the message of a conflict_error, but show that of this type.
  deployment_stopped: error(409, 'invalid_request_error'),
  deployment_unavailable: OVERLOADED,
  overloaded: OVERLOADED,
  rate_limit_exceeded: error(429, 'rate_limit_error'),
  unsupported_media_type: INVALID,
  request_timeout: error(408, 'timeout_error'),
  request_too_large: error(413, 'request_too_large'),
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
  timeout: error(504, 'timeout_error'),
  worker_lost: FAILED,
  engine_error: FAILED,
  server_shutting_down: UNAVAILABLE,
  cancelled: error(499, 'invalid_request_error'),
  invalid_request: INVALID,
  internal: FAILED,
} as const satisfies Record<InferenceErrorCode, ErrorStatus>;

/** Clients parse the figures in this text and shorten the conversation. */
function contextMessage(message: string, facts: ServiceError['facts']): string {
  const { tokens, context, estimated } = facts ?? {};
  if (tokens === undefined || context === undefined) return `prompt is too long: ${message}`;
  return `prompt is too long: ${tokens} tokens > ${context} maximum${estimated ? ' (estimated)' : ''}`;
}

/** This contract's names of engines' fields, which are the chat contract's. */
const ENGINE_PARAMS: Readonly<Record<string, string>> = {
  response_format: 'output_config.format',
  structured_outputs: 'output_config.format',
  stop: 'stop_sequences',
  max_completion_tokens: 'max_tokens',
  parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
  reasoning_effort: 'output_config.effort',
  chat_template_kwargs: 'thinking',
};

/** The contract has no field for a parameter's name, so the message begins with it. Positions within it are the engine's and left out. */
function wordingOf({ code, message, param, facts }: ServiceError): string {
  if (code === 'context_length_exceeded') return contextMessage(message, facts);
  if (param === undefined || message.startsWith(`${param}: `)) return message;
  const name = param.replace(/[.[].*$/, '');
  return `${ENGINE_PARAMS[name] ?? name}: ${message}`;
}

/** JSON of an error, in a response or a stream. `facts.error_code` replaces the gateway's own code. */
export function messagesErrorBody(error: ServiceError, requestId: string): string {
  const code = publicCode(error);
  const { facts } = error;
  return JSON.stringify({
    type: 'error',
    error: { type: STATUSES[code].type, message: wordingOf(error), details: { error_code: facts?.['error_code'] ?? code } },
    request_id: requestId,
  });
}

/** Errors as the messages contract writes them. */
export const messagesErrors: ErrorFormat = {
  status: (error) => STATUSES[publicCode(error)].status,
  body: messagesErrorBody,
};

/**
 * An error about one field. The contract has no field for its name, so the message begins with it.
 * @param param its path, such as `messages.0.content`.
 */
export const fault = (code: ErrorCode, param: string, message: string): ServiceError =>
  new ServiceError(code, `${param}: ${message}`, { param });

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;

/** Faults of a body in this contract's words: `messages.0.role: Field required`. */
export const WORDING: FaultWording = {
  name: (path) => path.join('.'),
  error({ code, expected, says }, param) {
    if (expected === null) return fault(code, param, 'Field required');
    // The contract has one code for values out of range.
    const known = code === 'integer_below_min_value' ? 'invalid_value' : code;
    return fault(known, param, says === undefined ? `Expected ${expected}.` : sentence(says));
  },
};

/** Paths in a request that depend on the conversation. */
export interface Places {
  readonly image: string | undefined;
  readonly prefill: string | undefined;
  readonly format: string | undefined;
}

type Wording = (places: Places) => readonly [param: string, message: string];

/** The error of each missing capability, in the contract's names. */
const WORDINGS: Partial<Readonly<Record<Capability, Wording>>> = {
  images: ({ image }) => [image ?? 'messages', 'This model does not accept images.'],
  tools: () => ['tools', 'This model cannot call tools.'],
  tool_choice: () => ['tool_choice.type', 'This engine cannot force a call; use auto or none.'],
  json_schema: ({ format }) => [format ?? 'output_config.format', 'This engine cannot keep an answer to a JSON schema.'],
  continue_final: ({ prefill }) => [prefill ?? 'messages', 'This engine cannot continue an answer; end with a user message.'],
  top_k: () => ['top_k', 'This engine does not know it.'],
};

/** Checks that the deployment's engine can serve the request. @throws ServiceError naming the field. */
export function checkCapabilities(request: CanonicalRequest, caps: readonly string[], places: Places): void {
  const missing = missingCapability(request, caps);
  if (!missing) return;
  const [param, message] = WORDINGS[missing]?.(places) ?? ['model', `This deployment cannot do what the request needs (${missing}).`];
  throw fault(missing === 'images' ? 'unsupported_content' : 'unsupported_parameter', param, message);
}
