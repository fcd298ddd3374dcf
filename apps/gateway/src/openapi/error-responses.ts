import { type InferenceErrorCode, ServiceError } from '@slipway/contracts';
import type { ErrorFormat } from '../surfaces/surface.js';
import { type JsonSchema, ref } from './description.js';

/** When the inference API returns each code. No client receives `cancelled`, since it has disconnected. */
export const PUBLIC_ERRORS = {
  missing_api_key: 'No key was sent.',
  invalid_api_key:
    'The key is unknown, revoked, rotated, expired or malformed, or it is a session token. Within a stream: it is no longer valid.',
  ambiguous_credentials: 'The two headers hold different keys, or one of them appears twice.',
  insufficient_scope: 'The key is an MCP key.',
  auth_unavailable: 'The key, or the use of its limits, cannot be checked at the moment.',
  invalid_path: 'The path has an invalid percent encoding.',
  not_found: 'No endpoint has this path. The message says which base URL to set.',
  method_not_allowed: 'The endpoint has another method; `Allow` names it. The handshake of a WebSocket gets status 426.',
  expectation_failed: '`Expect` is not `100-continue`.',
  model_not_found:
    'There is no such deployment, it belongs to another account, or the key has no access. The three responses are identical.',
  model_mismatch: '`model` names another deployment than the URL.',
  deployment_stopped: 'The deployment is stopped. Within a stream: it was stopped.',
  deployment_unavailable: 'The deployment is starting, has failed, or has no worker at the moment.',
  overloaded: 'No slot became free in time, too many requests are waiting, or there are more than the machines can take.',
  rate_limit_exceeded: 'A limit of the key or its account is reached, or too many invalid keys came from this address.',
  unsupported_media_type: 'The headers do not declare an uncompressed JSON body in UTF-8.',
  request_timeout: 'The request did not arrive in time.',
  request_too_large: 'The body exceeds the size limit.',
  invalid_json:
    'The body is not a JSON object, repeats a key such as `model` or `messages`, or has an object of more than 2,048 keys or more than 200,000 values.',
  invalid_utf8: 'The body is not valid UTF-8.',
  invalid_unicode: 'A string holds a lone surrogate.',
  json_too_deep: 'The body is nested deeper than 64 levels.',
  missing_required_parameter: 'A field is missing.',
  invalid_type: 'A field has the wrong type.',
  invalid_value: 'A field has an invalid value, alone or in combination with another one.',
  empty_array: 'A list must not be empty.',
  array_above_max_length: 'A list is too long.',
  integer_below_min_value: 'A number is too small.',
  unsupported_parameter: 'A field requests something that is not supported, by Slipway or by this deployment.',
  unsupported_value: 'The same, for one value of a field.',
  unsupported_content: 'The same, for a part of a message.',
  context_length_exceeded: 'The prompt leaves no room for an answer in the context.',
  timeout: 'The first token did not arrive in time.',
  worker_lost: 'The worker died in the middle of the answer.',
  engine_error: 'The engine failed, stopped responding, or ended without a finish reason.',
  server_shutting_down: 'The gateway or the model is shutting down.',
  invalid_request: 'The request is not valid HTTP. Headers that are too large get status 431.',
  internal: 'A fault of Slipway. Its log contains the request id.',
} as const satisfies Record<Exclude<InferenceErrorCode, 'cancelled'>, string>;

/** Codes that a client of the inference API can receive. */
export const PUBLIC_ERROR_CODES = Object.keys(PUBLIC_ERRORS) as (keyof typeof PUBLIC_ERRORS)[];

type Headers = Readonly<Record<string, object>>;

const header = (description: string, schema: JsonSchema = { type: 'string' }): object => ({ description, schema });

const commonHeaders: Headers = {
  'x-request-id': header('Names this request, for support and in the logs.'),
  'request-id': header('The same.'),
};

const ofLimits = (measure: 'requests' | 'tokens'): Headers => ({
  [`x-ratelimit-limit-${measure}`]: header(`Limit of ${measure} per minute, where the key or its account has one.`, { type: 'integer' }),
  [`x-ratelimit-remaining-${measure}`]: header('What is left of it now.', { type: 'integer' }),
  [`x-ratelimit-reset-${measure}`]: header('Time until all of it is left again, such as `6m0s`.'),
});
const rateLimitHeaders: Headers = { ...ofLimits('requests'), ...ofLimits('tokens') };

const errorHeaders: Headers = {
  'retry-after': header('Seconds to wait before the request is worth repeating; on 429, 503 and 529.', {
    type: 'integer',
    minimum: 1,
    maximum: 30,
  }),
  'x-should-retry': header('`false` where repeating brings the same answer.', { const: 'false' }),
};

/** Headers by name, which responses refer to. */
export const HEADERS: Headers = { ...commonHeaders, ...rateLimitHeaders, ...errorHeaders };

const pointers = (...groups: readonly Headers[]): Headers =>
  Object.fromEntries(groups.flatMap((group) => Object.keys(group)).map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Headers of every response. */
export const ID_HEADERS: Headers = pointers(commonHeaders);
/** Headers of responses that count against limits. */
export const LIMIT_HEADERS: Headers = pointers(commonHeaders, rateLimitHeaders);

/** The errors of a contract by status, with their codes. @param schema name of the body's schema. */
function byStatus(format: ErrorFormat, schema: string): (readonly [status: string, name: string, response: object])[] {
  const codes = new Map<number, string[]>();
  for (const code of PUBLIC_ERROR_CODES) {
    const known = format.status(new ServiceError(code, ''));
    codes.set(known, [...(codes.get(known) ?? []), code]);
  }
  const sorted = [...codes].toSorted(([a], [b]) => a - b);
  return sorted.map(([status, names]) => {
    const described = names.map((name) => `\`${name}\``).join(', ');
    return [String(status), `${schema}${status}`, errorResponse(described, ref(schema))] as const;
  });
}

/** The error responses of a contract by the names that operations refer to. */
export const namedErrorResponses = (format: ErrorFormat, schema: string): Record<string, object> =>
  Object.fromEntries(byStatus(format, schema).map(([, name, response]) => [name, response]));

/** An operation's references to error responses, by status. */
export const errorResponseRefs = (format: ErrorFormat, schema: string): Record<string, object> =>
  Object.fromEntries(byStatus(format, schema).map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]));

/** @param schema of the body. */
export const errorResponse = (description: string, schema: JsonSchema): object => ({
  description,
  headers: pointers(commonHeaders, rateLimitHeaders, errorHeaders),
  content: { 'application/json': { schema } },
});
