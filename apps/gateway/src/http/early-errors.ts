import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ServiceError } from '@slipway/contracts';
import { InferenceLine } from '../observability/inference-line.js';
import { errorHeaders, LINGER_MS, sendError } from './error-response.js';
import { requestId } from './request-context.js';
import type { RequestsInFlight } from './requests-in-flight.js';

/** Error response to a request that the HTTP parser could not read. */
interface SyntaxFault {
  readonly status: number;
  readonly error: ServiceError;
}

const PHRASES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
};

/** Maps an error of the HTTP parser. The message never quotes the request. */
function syntaxFault({ code }: NodeJS.ErrnoException): SyntaxFault {
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
const openResponse = (socket: Socket): ServerResponse | null =>
  (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? null;

const failed = new WeakSet<Socket>();

/**
 * Writes a response directly to the socket, which has no ServerResponse, and closes the connection after it.
 * @returns false when the socket is not writable, or a response has begun and the text would become a part of it
 */
function sendRawError(socket: Socket, { status, headers, body }: { status: number; headers: object; body: string }): boolean {
  // After an error, the parser reports every further chunk of the request too.
  if (failed.has(socket)) return false;
  failed.add(socket);
  if (!socket.writable) {
    socket.destroy();
    return false;
  }
  if (openResponse(socket)?.headersSent) {
    // Bytes that are already written are still sent.
    socket.destroySoon();
    return false;
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
  socket.end(`HTTP/1.1 ${status} ${PHRASES[status]}\r\n${lines.join('\r\n')}\r\nconnection: close\r\n\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  return true;
}

/** Error responses before the request gate: invalid HTTP, an unreadable target, a pipelined request. */
export class EarlyErrors {
  constructor(private readonly inFlight: RequestsInFlight) {}

  /** Sends the error of the HTTP parser and closes the connection. */
  syntax(fault: NodeJS.ErrnoException, socket: Socket): void {
    if (fault.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const { status, error } = syntaxFault(fault);
    // A fault within a body belongs to a known request; any other request has no path yet.
    const context = this.inFlight.of(openResponse(socket));
    const id = context?.id ?? requestId();
    const body = (context?.format ?? this.inFlight.formatAt({ headers: {} })).body(error, id);
    const headers = { ...context?.response.getHeaders(), ...errorHeaders(error, status, { body, id }) };
    const line = context?.line ?? new InferenceLine(id);
    line.failedWith(error.code);
    if (!sendRawError(socket, { status, headers, body })) return;
    line.note({ status });
    if (!context) this.inFlight.record(line, status);
  }

  /** Fails a request that came before the previous response on its connection was over. */
  pipelined(request: IncomingMessage, response: ServerResponse): void {
    const context = this.inFlight.begin(request, response);
    const error = new ServiceError(
      'invalid_request',
      'Send the next request after the response to the one before, or on another connection.',
    );
    sendError(context, error, { close: true });
    this.inFlight.record(context.line, response.statusCode, context);
  }

  /** Fails a request whose target the router cannot decode. */
  target(request: IncomingMessage, response: ServerResponse): void {
    const error = new ServiceError(
      'invalid_path',
      'The path of the URL is not valid: a percent sign must be followed by two hex digits of UTF-8.',
    );
    this.beforeGate(request, response, error);
  }

  /** Fails a request that has not passed the request gate. */
  beforeGate(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    sendError(this.inFlight.open(request, response, 'none'), error);
  }
}
