import type { ServerResponse } from 'node:http';
import { ERRORS, type ServiceError } from '@slipway/contracts';

/** JSON-RPC code of a refusal before any message is read. */
const REFUSED = -32_000;
/** JSON-RPC code of a body that is no JSON. */
const PARSE_ERROR = -32_700;

/**
 * Answers a request before the protocol begins. A 401 names the scheme and nothing else: clients that are pointed at OAuth
 * metadata drop the key that they were given.
 */
export function refuse(response: ServerResponse, { code, message, retryAfterS = 2 }: ServiceError): void {
  const { status, retry } = ERRORS[code];
  const body = JSON.stringify({
    jsonrpc: '2.0',
    error: { code: code === 'invalid_json' ? PARSE_ERROR : REFUSED, message, data: { code } },
    id: null,
  });
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(status === 401 && { 'www-authenticate': 'Bearer realm="slipway"' }),
    ...(retry === 'later' && { 'retry-after': String(retryAfterS) }),
  });
  response.end(body);
}
