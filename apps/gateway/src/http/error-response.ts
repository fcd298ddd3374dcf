import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { isServiceError, ServiceError } from '@slipway/contracts';
import { preflightHeaders } from './cors.js';
import { idHeaders, type RequestContext } from './request-context.js';
import { expectationOf } from './server-limits.js';

/** An unread body up to this size is read and dropped, so that the connection can be reused, in bytes. */
const DROPPED_BYTES = 64 * 1024;
/** How long a closing connection still reads, so that its client receives the response, in milliseconds. */
export const LINGER_MS = 1_000;
/** Most chunks read meanwhile; each costs the same, however small. */
const LINGER_CHUNKS = 8_192;
const DEFAULT_RETRY_S = 2;

/** A thrown value as a public error. Anything but a ServiceError becomes `internal`, with the original as its cause. */
export function toServiceError(thrown: unknown): ServiceError {
  return isServiceError(thrown) ? thrown : new ServiceError('internal', 'The gateway failed; its log says why.', { cause: thrown });
}

/** Responses with an error, which must not get another one; their last bytes may still be unsent. */
const failed = new WeakSet<ServerResponse>();

export interface ErrorResponseOptions {
  /** Overrides the code's own status. */
  readonly status?: number | undefined;
  /** Closes the connection after the response. */
  readonly close?: boolean | undefined;
}

/** Sends an error response in the contract of the path. A response that has begun can only be aborted. */
export function sendError(context: RequestContext, thrown: unknown, options: ErrorResponseOptions = {}): void {
  const { response, line } = context;
  if (failed.has(response)) return;
  const error = toServiceError(thrown);
  line.failedWith(error.code);
  if (error.code === 'internal') line.cause(error.cause ?? error);
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  failed.add(response);
  writeError(context, error, options);
}

/** Sends the response to a CORS preflight; `Cors.allow` has set its origin header. */
export function sendPreflight(context: RequestContext): void {
  const { response, request, id } = context;
  if (mustClose(context)) response.shouldKeepAlive = false;
  response.writeHead(204, { ...idHeaders(id), ...preflightHeaders(request) });
  response.end();
}

function writeError(context: RequestContext, error: ServiceError, { status, close = false }: ErrorResponseOptions): void {
  const { format, response, request, id } = context;
  const body = format.body(error, id);
  // After a timeout, reading the rest of the body would only wait again.
  const closing = close || error.code === 'request_timeout' || mustClose(context);
  if (closing) response.shouldKeepAlive = false;
  const code = status ?? format.status(error);
  response.writeHead(code, errorHeaders(error, code, { body, id }));
  if (closing && !request.complete) linger(context, body);
  else response.end(body);
}

/** All headers of an error response. One object is filled: spreading several would be the most expensive part of it. */
export function errorHeaders(error: ServiceError, status: number, { body, id }: { body: string; id: string }): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = idHeaders(id);
  headers['content-type'] = 'application/json';
  headers['cache-control'] = 'no-store';
  headers['content-length'] = Buffer.byteLength(body);
  if (status >= 400 && status < 500 && status !== 408 && status !== 429) headers['x-should-retry'] = 'false';
  if (status === 429 || status === 503 || status === 529) {
    headers['retry-after'] = String(Math.min(30, Math.max(1, Math.ceil(error.retryAfterS ?? DEFAULT_RETRY_S))));
  }
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (error.code === 'method_not_allowed') headers['allow'] = String(error.facts?.['allow']);
  return headers;
}

/** True for an unread body that is too long to drop, whose rest would be parsed as the next request. */
function mustClose({ request }: RequestContext): boolean {
  if (request.complete) return false;
  if (expectationOf(request) !== 'none') return true;
  const length = request.headers['content-length'];
  return length === undefined ? request.headers['transfer-encoding'] !== undefined : Number(length) > DROPPED_BYTES;
}

/** Reads on for a moment before closing: closing over unread bytes resets the connection, and the client may lose the response. */
function linger({ request, response }: RequestContext, body: string): void {
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  let chunks = 0;
  response.write(body);
  request
    .on('data', () => {
      chunks += 1;
      if (chunks === LINGER_CHUNKS) end();
    })
    .once('end', end)
    .once('close', end)
    .on('error', () => undefined);
  request.resume();
}
