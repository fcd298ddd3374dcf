import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Origin } from '@slipway/contracts';

const CLIENT_CHARS = 200;

/**
 * The client's address. Each trusted proxy appends the address that it saw to X-Forwarded-For; entries before those may be
 * written by the client and are ignored.
 */
export function clientAddress({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>, proxies: number): string {
  const own = socket.remoteAddress ?? '';
  if (proxies === 0) return own;
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  const seen = forwarded.map((entry) => entry.trim()).at(-proxies) ?? '';
  return isIP(seen) === 0 ? own : seen;
}

/** Address and user agent of a request, for the audit log. */
export function originOf(request: Pick<IncomingMessage, 'headers' | 'socket'>, proxies: number): Origin {
  const client = request.headers['user-agent']?.replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '').slice(0, CLIENT_CHARS);
  return { address: clientAddress(request, proxies), ...(client !== undefined && { client }) };
}
