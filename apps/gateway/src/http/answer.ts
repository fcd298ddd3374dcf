import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { isServiceError, ServiceError } from '@slipway/contracts';
import { preflightHeaders } from './cors.js';
import type { Exchange } from './exchange.js';
import { idHeaders } from './request-id.js';
import { expectationOf } from './server-limits.js';

/** An unread body up to this size is read and dropped, so that the connection can go on, in bytes. */
const DROPPED_BYTES = 64 * 1024;
/** How long a connection that will be closed still reads, so that its client gets to the answer, in milliseconds. */
export const LINGER_MS = 1_000;
/** Pieces of a body that it reads meanwhile at most: each costs the same however small it is. */
const LINGER_PIECES = 8_192;
const DEFAULT_RETRY_S = 2;

/** Anything thrown as an error that may be shown; what is not ours becomes `internal`, with the original as its cause. */
export function toServiceError(thrown: unknown): ServiceError {
  return isServiceError(thrown) ? thrown : new ServiceError('internal', 'The gateway failed; its log says why.', { cause: thrown });
}

/** Responses that are an error: its end may still be on its way, and nothing else may become of them. */
const refused = new WeakSet<ServerResponse>();

export interface AnswerOptions {
  /** Overrides the code's own status. */
  readonly status?: number | undefined;
  /** Ends the connection after the answer. */
  readonly close?: boolean | undefined;
}

/** Writes an error as the whole answer, in the contract of the path. After a response has begun it can only be broken off. */
export function answerError(exchange: Exchange, thrown: unknown, options: AnswerOptions = {}): void {
  const { response, line } = exchange;
  if (refused.has(response)) return;
  const error = toServiceError(thrown);
  line.blame(error.code);
  if (error.code === 'internal') line.cause(error.cause ?? error);
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  refused.add(response);
  writeError(exchange, error, options);
}

/** Tells a browser what a page may send; the origin is noted on the response. */
export function answerPreflight(exchange: Exchange): void {
  const { response, request, id } = exchange;
  if (mustClose(exchange)) response.shouldKeepAlive = false;
  response.writeHead(204, { ...idHeaders(id), ...preflightHeaders(request) });
  response.end();
}

function writeError(exchange: Exchange, error: ServiceError, { status, close = false }: AnswerOptions): void {
  const { format, response, request, id } = exchange;
  const body = format.body(error, id);
  // What has not come of a request that took too long would be waited for again.
  const closing = close || error.code === 'request_timeout' || mustClose(exchange);
  if (closing) response.shouldKeepAlive = false;
  const code = status ?? format.status(error);
  response.writeHead(code, errorHeaders(error, code, { body, id }));
  if (closing && !request.complete) linger(exchange, body);
  else response.end(body);
}

/** All headers of an error response. One object that grows: to spread several into one would be the dearest part of a refusal's text. */
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

/** A body that is neither read nor short would be taken for the next request, or has to be read to its end. */
function mustClose({ request }: Exchange): boolean {
  if (request.complete) return false;
  if (expectationOf(request) !== 'none') return true;
  const length = request.headers['content-length'];
  return length === undefined ? request.headers['transfer-encoding'] !== undefined : Number(length) > DROPPED_BYTES;
}

/** A socket closed over unread bytes is reset, and the reset may reach the client before the answer does. */
function linger({ request, response }: Exchange, body: string): void {
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  let pieces = 0;
  response.write(body);
  request
    .on('data', () => {
      pieces += 1;
      if (pieces === LINGER_PIECES) end();
    })
    .once('end', end)
    .once('close', end)
    .on('error', () => undefined);
  request.resume();
}
