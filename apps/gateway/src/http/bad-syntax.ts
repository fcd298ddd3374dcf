import type { Socket } from 'node:net';
import { requestId } from './request-id.js';

const REFUSALS: Readonly<Record<string, readonly [status: string, code: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'invalid_request', 'The request headers are larger than 16 KB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'request_timeout', 'The request did not arrive in time.'],
};
const BAD_REQUEST = ['400 Bad Request', 'invalid_request', 'The request is not valid HTTP.'] as const;

/** Answers what the HTTP parser refused, then closes the connection. Nothing of the request is repeated. */
export function answerBadSyntax(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  // After a response has begun, any further byte would be read as a part of it. What was written of it still leaves.
  if ((socket as Socket & { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent) {
    socket.destroySoon();
    return;
  }
  const [status, code, message] = REFUSALS[error.code ?? ''] ?? BAD_REQUEST;
  const body = JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code } });
  const head = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId()}`,
    ...(code === 'request_timeout' ? [] : ['x-should-retry: false']),
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroySoon());
}
