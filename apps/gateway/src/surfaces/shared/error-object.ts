import { type CanonicalRequest, type Capability, type ErrorCode, type InferenceErrorCode, ServiceError } from '@slipway/contracts';
import { missingCapability } from './capabilities.js';
import { publicCode, type FaultWording } from './faults.js';

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
  internal: SERVER,
} as const satisfies Record<InferenceErrorCode, string>;

/** Clients recognise a wrong key by the start of the message. */
const KEY_REFUSALS: ReadonlySet<ErrorCode> = new Set(['missing_api_key', 'invalid_api_key']);

const messageOf = ({ code, message }: ServiceError): string =>
  KEY_REFUSALS.has(code) ? `Incorrect API key provided. ${message}` : message;

/** The object under `error`, always with all four keys. `facts.error_code` replaces the gateway's own code. */
export interface ErrorObject {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string;
}

/** How a contract words a prompt that is too long, and the field that holds its prompt. */
export interface PromptWording {
  readonly field: string;
  readonly tooLong: (error: ServiceError) => string;
}

/** An error in the form that the chat and the responses contract share. */
export function errorObject(error: ServiceError, prompt: PromptWording): ErrorObject {
  const isContext = error.code === 'context_length_exceeded';
  const code = publicCode(error);
  return {
    message: isContext ? prompt.tooLong(error) : messageOf(error),
    type: error.facts?.['limited'] === TOKENS ? TOKENS : TYPE[code],
    param: error.param ?? (isContext ? prompt.field : null),
    code: String(error.facts?.['error_code'] ?? code),
  };
}

/** An error about one field. @param param its name as the contract spells it, such as `messages[2].content`. */
export const fault = (code: ErrorCode, param: string, message: string): ServiceError => new ServiceError(code, message, { param });

/** Faults of a body in this contract's words: `'messages[0].role' is required.` */
export const WORDING: FaultWording = {
  name: ([field, ...rest]) =>
    rest.reduce<string>((name, key) => (typeof key === 'number' ? `${name}[${key}]` : `${name}.${key}`), `${field}`),
  error({ code, expected, says }, param) {
    if (expected === null) return fault(code, param, `'${param}' is required.`);
    if (says === undefined) return fault(code, param, `'${param}' must be ${expected}.`);
    return fault(code, param, /^[a-z]/.test(says) ? `'${param}' ${says}.` : says);
  },
};

interface Lack {
  readonly code: ErrorCode;
  readonly param: string;
  readonly message: string;
}

/** Names of a request's fields that depend on the contract, or on the request. */
export interface LackPlaces {
  /** The field that requests the output format. */
  readonly output: string;
  /** The path of the first image. */
  readonly image: () => string;
  /** The path of the first call or result in the conversation. */
  readonly call: () => string;
  /** Fields whose names differ from their capabilities. */
  readonly fields: Partial<Readonly<Record<Capability, string>>>;
}

/**
 * The error of a request that needs a capability which the deployment lacks, naming the field; null = it lacks none.
 * @param caps capabilities of its engine; empty = unknown.
 */
export function lackOf(request: CanonicalRequest, caps: readonly string[], places: LackPlaces): ServiceError | null {
  const word = missingCapability(request, caps);
  if (word === null) return null;
  const { code, param, message } = refusalOf(word, request, places);
  return fault(code, param, `${message} Choose another deployment, or send the request without it.`);
}

function refusalOf(word: Capability, { tools }: CanonicalRequest, places: LackPlaces): Lack {
  switch (word) {
    case 'images':
      return { code: 'unsupported_content', param: places.image(), message: 'The model of this deployment does not take images.' };
    case 'tools':
      return toolsLack(tools !== undefined, places);
    case 'tool_choice':
      return { code: 'unsupported_value', param: 'tool_choice', message: 'This deployment cannot force a tool to be called.' };
    case 'n':
      return { code: 'unsupported_value', param: 'n', message: 'This deployment makes one choice for each request.' };
    case 'json_object':
    case 'json_schema':
    case 'regex':
    case 'choice':
    case 'grammar':
      return { code: 'unsupported_parameter', param: places.output, message: `This deployment cannot hold its answers to ${FORM[word]}.` };
    default: {
      const param = places.fields[word] ?? word;
      return { code: 'unsupported_parameter', param, message: `This deployment does not support '${param}'.` };
    }
  }
}

const FORM = {
  json_object: 'JSON',
  json_schema: 'a JSON schema',
  regex: 'a regular expression',
  choice: 'a list of choices',
  grammar: 'a grammar',
} as const;

/** The conversation may contain calls although the request has no tools. */
function toolsLack(hasTools: boolean, places: LackPlaces): Lack {
  const message = 'The model of this deployment does not know tools.';
  if (hasTools) return { code: 'unsupported_parameter', param: 'tools', message };
  return { code: 'unsupported_content', param: places.call(), message };
}
