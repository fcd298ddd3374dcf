import { HttpException } from '@nestjs/common';
import { ERRORS, isServiceError, ServiceError } from '@slipway/contracts';

const DEFAULT_RETRY_S = 2;

/** What Fastify and Nest find wrong with a request before a handler runs, in our words. */
const BY_STATUS: Readonly<Record<number, () => ServiceError>> = {
  400: () => new ServiceError('invalid_json', 'The body is not valid JSON.'),
  404: () => new ServiceError('not_found', 'There is nothing here.'),
  413: () => new ServiceError('request_too_large', 'The request body is too large.'),
  415: () => new ServiceError('unsupported_media_type', 'Send the body as JSON in UTF-8, with "Content-Type: application/json".'),
};

function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof HttpException) return thrown.getStatus();
  if (typeof thrown !== 'object' || thrown === null || !('statusCode' in thrown)) return undefined;
  return typeof thrown.statusCode === 'number' ? thrown.statusCode : undefined;
}

/** Anything thrown as an error that may be shown; what is not ours becomes `internal`, with the original as its cause. */
export function toServiceError(thrown: unknown): ServiceError {
  if (isServiceError(thrown)) return thrown;
  const known = BY_STATUS[statusOf(thrown) ?? 0]?.();
  return known ?? new ServiceError('internal', 'The console failed; its log says why.', { cause: thrown });
}

/** An error as the whole answer. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error: { readonly code: string; readonly message: string; readonly param?: string } };
}

/** Words an error for the console's pages. */
export function errorAnswer(error: ServiceError): ErrorAnswer {
  const { status, retry } = ERRORS[error.code];
  const { code, message, param, retryAfterS = DEFAULT_RETRY_S } = error;
  return {
    status,
    headers: {
      ...(retry === 'later' && { 'retry-after': String(Math.min(30, Math.max(1, Math.ceil(retryAfterS)))) }),
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    },
    body: { error: { code, message, ...(param !== undefined && { param }) } },
  };
}
