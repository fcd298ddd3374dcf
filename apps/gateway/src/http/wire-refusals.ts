import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ServiceError } from '@slipway/contracts';
import { answerError, errorHeaders } from './answer.js';
import { endWithAnswer, openResponse, syntaxFault } from './bad-syntax.js';
import type { Exchanges } from './exchanges.js';
import { requestId } from './request-id.js';
import { RequestLine } from '../observability/request-line.js';

/** Answers what never gets as far as the checks: no HTTP, a target that cannot be read, a request that came too early. */
export class WireRefusals {
  constructor(private readonly exchanges: Exchanges) {}

  /** Answers what the HTTP parser refused, then ends the connection. */
  syntax(fault: NodeJS.ErrnoException, socket: Socket): void {
    if (fault.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const { status, error } = syntaxFault(fault);
    // A body that breaks off belongs to a request that is known; anything else has no path.
    const exchange = this.exchanges.of(openResponse(socket));
    const id = exchange?.id ?? requestId();
    const body = (exchange?.format ?? this.exchanges.formatAt({ headers: {} })).body(error, id);
    const headers = { ...exchange?.response.getHeaders(), ...errorHeaders(error, status, { body, id }) };
    const line = exchange?.line ?? new RequestLine(id);
    line.blame(error.code);
    if (!endWithAnswer(socket, { status, headers, body })) return;
    line.note({ status });
    if (!exchange) this.exchanges.record(line, status);
  }

  /** Refuses a request that came before the response to the one before it was over. */
  pipelined(request: IncomingMessage, response: ServerResponse): void {
    const exchange = this.exchanges.begin(request, response);
    const error = new ServiceError(
      'invalid_request',
      'Send the next request after the response to the one before, or on another connection.',
    );
    answerError(exchange, error, { close: true });
    this.exchanges.record(exchange.line, response.statusCode);
  }

  /** Refuses a request whose target the router could not read. */
  target(request: IncomingMessage, response: ServerResponse): void {
    const error = new ServiceError(
      'invalid_path',
      'The path of the URL is not valid: a percent sign must be followed by two hex digits of UTF-8.',
    );
    this.unseen(request, response, error);
  }

  /** Answers a request that the gate has not seen with an error. */
  unseen(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    answerError(this.exchanges.open(request, response, 'none'), error);
  }
}
