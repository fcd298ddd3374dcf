import type { InferenceErrorCode } from '@slipway/contracts';

/** When the inference API answers with each code. Its client has left before it could see `cancelled`. */
export const ANSWERED_ERRORS = {
  missing_api_key: 'No key was sent.',
  invalid_api_key:
    'The key is unknown, revoked, rotated, expired or misspelt, or it is a session token. Within a stream: it is no longer valid.',
  ambiguous_credentials: 'The two headers hold different keys, or one of the headers comes twice.',
  insufficient_scope: 'The key is an MCP key.',
  auth_unavailable: 'The gateway cannot tell at the moment whether the key is good, or what it has used.',
  invalid_path: 'A percent sign in the path escapes nothing.',
  not_found: 'No endpoint has this path. The message says which base URL to set.',
  method_not_allowed: 'The endpoint has another method; `Allow` names it.',
  expectation_failed: '`Expect` asks for something else than `100-continue`.',
  model_not_found: 'There is no such deployment, it belongs to another account, or the key does not open it: all the same to the byte.',
  model_mismatch: '`model` names another deployment than the URL.',
  deployment_stopped: 'The deployment is stopped. Within a stream: it was stopped.',
  deployment_unavailable: 'The deployment starts, has failed, or has no worker at the moment.',
  overloaded: 'No slot came free in time, or too many requests wait already.',
  rate_limit_exceeded: 'A limit of the key or its account is reached, or too many invalid keys came from this address.',
  unsupported_media_type: 'The body is no uncompressed JSON in UTF-8 by its headers.',
  request_timeout: 'The request did not arrive in time.',
  request_too_large: 'The body has more bytes than are taken.',
  invalid_json:
    'The body is no JSON object, names a decisive key twice, or has an object of more than 2,048 keys, or more than 200,000 values.',
  invalid_utf8: 'The body is not valid UTF-8.',
  invalid_unicode: 'A text holds half a surrogate pair.',
  json_too_deep: 'The body is nested deeper than 64 levels.',
  missing_required_parameter: 'A field is missing.',
  invalid_type: 'A field has the wrong type.',
  invalid_value: 'A field has a value that makes no sense, alone or beside another one.',
  empty_array: 'A list is empty that must not be.',
  array_above_max_length: 'A list is too long.',
  integer_below_min_value: 'A number is too small.',
  unsupported_parameter: 'A field asks for something that is not offered, or that this deployment cannot do.',
  unsupported_value: 'The same, for one value of a field.',
  unsupported_content: 'The same, for a part of a message.',
  context_length_exceeded: 'The prompt leaves no room for an answer in the context.',
  timeout: 'No first token came in time.',
  worker_lost: 'The worker died in the middle of the answer.',
  engine_error: 'The engine failed, fell silent, or ended its answer without saying why.',
  server_shutting_down: 'The gateway or the model shuts down.',
  invalid_request: 'The request is no HTTP that is understood. Headers that are too large have the status 431.',
  internal: 'A fault of Slipway. Its log has the request id.',
} as const satisfies Record<Exclude<InferenceErrorCode, 'cancelled'>, string>;

/** Codes that a client of the inference API can see. */
export const ANSWERED_CODES = Object.keys(ANSWERED_ERRORS) as (keyof typeof ANSWERED_ERRORS)[];
