/** What a caller may do after an error. */
export type RetryAdvice = 'never' | 'later';

interface ErrorFacts {
  /** HTTP status of the public API; a surface may override it (messages: 529 for overload). */
  readonly status: number;
  readonly retry: RetryAdvice;
}

const never = (status: number): ErrorFacts => ({ status, retry: 'never' });
const later = (status: number): ErrorFacts => ({ status, retry: 'later' });

/** Codes that the inference API can answer. Each surface words every one of them; a code without wording does not compile. */
export const INFERENCE_ERRORS = {
  // Credentials.
  missing_api_key: never(401),
  invalid_api_key: never(401),
  ambiguous_credentials: never(400),
  insufficient_scope: never(403),
  auth_unavailable: later(503),
  // Route.
  invalid_path: never(400),
  not_found: never(404),
  method_not_allowed: never(405),
  expectation_failed: never(417),
  // Deployment.
  model_not_found: never(404),
  model_mismatch: never(400),
  deployment_stopped: never(409),
  deployment_unavailable: later(503),
  overloaded: later(503),
  rate_limit_exceeded: later(429),
  // Body.
  unsupported_media_type: never(400),
  request_timeout: later(408),
  request_too_large: never(413),
  invalid_json: never(400),
  invalid_utf8: never(400),
  invalid_unicode: never(400),
  json_too_deep: never(400),
  // Fields.
  missing_required_parameter: never(400),
  invalid_type: never(400),
  invalid_value: never(400),
  empty_array: never(400),
  array_above_max_length: never(400),
  integer_below_min_value: never(400),
  unsupported_parameter: never(400),
  unsupported_value: never(400),
  unsupported_content: never(400),
  context_length_exceeded: never(400),
  // Generation.
  timeout: later(504),
  worker_lost: later(502),
  engine_error: later(502),
  server_shutting_down: later(503),
  cancelled: never(499),
  // Everything else.
  invalid_request: never(400),
  internal: later(500),
} as const satisfies Record<string, ErrorFacts>;

/** Every error code of the system. Codes of the control plane never reach a client of the inference API. */
export const ERRORS = {
  ...INFERENCE_ERRORS,
  // Control plane.
  account_not_found: never(404),
  key_not_found: never(404),
  key_revoked: never(409),
  key_expired: never(409),
  mcp_key_exists: never(409),
  // People and sign-in.
  invalid_credentials: never(401),
  session_ended: never(401),
  not_permitted: never(403),
  account_suspended: never(403),
  user_not_found: never(404),
  invitation_not_found: never(404),
  session_not_found: never(404),
  already_member: never(409),
  last_owner: never(409),
  account_has_owner: never(409),
  deployment_not_found: never(404),
  deployment_not_stopped: never(409),
  slug_taken: never(409),
  quota_exceeded: never(409),
  deployment_not_ready: never(409),
  alias_taken: never(409),
  alias_not_found: never(404),
  rollout_not_found: never(404),
  rollout_in_progress: never(409),
  source_not_allowed: never(400),
  // Data sets and fine-tuning.
  name_taken: never(409),
  dataset_not_found: never(404),
  dataset_not_ready: never(409),
  dataset_changed: never(409),
  dataset_in_use: never(409),
  upload_not_found: never(404),
  upload_conflict: never(409),
  blob_not_found: never(404),
  base_not_found: never(404),
  base_not_trainable: never(400),
  job_not_found: never(404),
  job_finished: never(409),
  adapter_not_found: never(404),
  adapter_in_use: never(409),
  gate_not_passed: never(409),
  suite_not_found: never(404),
  evaluation_not_found: never(404),
  evaluation_finished: never(409),
  evaluation_running: never(409),
  attempt_superseded: never(409),
  no_disk: later(503),
  trainer_unavailable: later(503),
  unavailable: later(503),
} as const satisfies Record<string, ErrorFacts>;

/** A stable word for what went wrong: a key of `ERRORS`. */
export type ErrorCode = keyof typeof ERRORS;

/** A code of `ERRORS` that the inference API answers. */
export type InferenceErrorCode = keyof typeof INFERENCE_ERRORS;

/** True for a code that the inference API can answer; a code of the control plane is answered there as `internal`. */
export const isInferenceErrorCode = (code: ErrorCode): code is InferenceErrorCode => Object.hasOwn(INFERENCE_ERRORS, code);

/** True for a code that this version knows. */
export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(ERRORS, text);

/** Optional parts of a `ServiceError`. */
export interface ServiceErrorOptions {
  /** Which request field is wrong, in the caller's own spelling. */
  readonly param?: string | undefined;
  /** Seconds after which a retry makes sense: an integer from 1 to 30. */
  readonly retryAfterS?: number | undefined;
  /** Values that a surface puts into its own message, such as `{ tokens, context }`. Public. */
  readonly facts?: Readonly<Record<string, number | string>> | undefined;
  /** The underlying error: logged, never sent to a client. */
  readonly cause?: unknown;
}

const BRAND = Symbol.for('slipway.ServiceError');

/** The error class for every failure that a caller may see. `message` is public: clients get it unchanged. */
export class ServiceError extends Error {
  readonly [BRAND] = true;
  readonly code: ErrorCode;
  readonly param: string | undefined;
  readonly retryAfterS: number | undefined;
  readonly facts: Readonly<Record<string, number | string>> | undefined;

  constructor(code: ErrorCode, publicMessage: string, options: ServiceErrorOptions = {}) {
    super(publicMessage, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.param = options.param;
    this.retryAfterS = options.retryAfterS;
    this.facts = options.facts;
  }
}

/** True for a `ServiceError` of any copy of this package. */
export const isServiceError = (error: unknown): error is ServiceError => typeof error === 'object' && error !== null && BRAND in error;
