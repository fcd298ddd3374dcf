import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { ERRORS, isServiceError, ServiceError } from '@slipway/contracts';
import { dropBody } from '@slipway/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';

const DEFAULT_RETRY_S = 2;

/** Errors that Fastify and Nest raise before a handler runs, by status. */
const BY_STATUS: Readonly<Record<number, () => ServiceError>> = {
  400: () => new ServiceError('invalid_json', 'The body is not valid JSON.'),
  404: () => new ServiceError('not_found', 'Nothing is served at this address.'),
  413: () => new ServiceError('request_too_large', 'The request body is too large.'),
  415: () => new ServiceError('unsupported_media_type', 'Send the body as JSON in UTF-8, with "Content-Type: application/json".'),
};

function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof HttpException) return thrown.getStatus();
  if (typeof thrown !== 'object' || thrown === null || !('statusCode' in thrown)) return undefined;
  return typeof thrown.statusCode === 'number' ? thrown.statusCode : undefined;
}

/** Converts anything thrown to an error that may be shown. Unknown errors become `internal`, with the original as cause. */
export function toServiceError(thrown: unknown): ServiceError {
  if (isServiceError(thrown)) return thrown;
  const known = BY_STATUS[statusOf(thrown) ?? 0]?.();
  return known ?? new ServiceError('internal', 'The console failed; its log has the cause.', { cause: thrown });
}

/** An error as HTTP response. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error: { readonly code: string; readonly message: string; readonly param?: string } };
}

/** Makes the response of an error for the console's pages. */
function errorResponse(error: ServiceError): ErrorResponse {
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

/**
 * Sends an error as the response and notes its cause in the request's log line.
 * @param status replaces the status of the error code
 */
export function sendError(request: FastifyRequest, reply: FastifyReply, thrown: unknown, status?: number): void {
  const error = toServiceError(thrown);
  request.line?.note({ error: error.code });
  if (error.code === 'internal' || error.cause !== undefined) request.line?.cause(error.cause ?? error);
  const { status: ownStatus, headers, body } = errorResponse(error);
  dropBody(request.raw);
  void reply
    .code(status ?? ownStatus)
    .headers(headers)
    .send(body);
}

/** Sends what a controller, a guard or Fastify threw. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendError(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), thrown);
  }
}
