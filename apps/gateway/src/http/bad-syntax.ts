import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ServiceError } from '@slipway/contracts';
import { LINGER_MS } from './answer.js';

/** Why the HTTP parser gave up on a connection, as it is answered. */
export interface SyntaxFault {
  readonly status: number;
  readonly error: ServiceError;
}

const PHRASES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
};

/** Says in our words what the parser means; nothing of the request is repeated. */
export function syntaxFault({ code }: NodeJS.ErrnoException): SyntaxFault {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, error: new ServiceError('invalid_request', 'The request headers are larger than 16 KB.') };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { status: 413, error: new ServiceError('invalid_request', 'The chunk extensions of the request are too large.') };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, error: new ServiceError('request_timeout', 'The request did not arrive in time.') };
    default:
      return { status: 400, error: new ServiceError('invalid_request', 'The request is not valid HTTP.') };
  }
}

/** The response that is being written on a connection, if one is. */
export const openResponse = (socket: Socket): ServerResponse | null =>
  (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? null;

const refused = new WeakSet<Socket>();

/**
 * Writes a last answer past Node's HTTP and ends the connection; what the client still sends is dropped for a moment, so
 * that it gets to the answer. False when there is nobody to tell, or a response has begun of which it would become a part.
 */
export function endWithAnswer(socket: Socket, { status, headers, body }: { status: number; headers: object; body: string }): boolean {
  // A parser that has given up reports every further piece of the request.
  if (refused.has(socket)) return false;
  refused.add(socket);
  if (!socket.writable) {
    socket.destroy();
    return false;
  }
  if (openResponse(socket)?.headersSent) {
    // What was written of it still leaves.
    socket.destroySoon();
    return false;
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
  socket.end(`HTTP/1.1 ${status} ${PHRASES[status]}\r\n${lines.join('\r\n')}\r\nconnection: close\r\n\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  return true;
}
