import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@slipway/contracts';

/** Most headers of a request; no client sends as many. */
const MAX_HEADER_PAIRS = 100;

/** Headers that may appear once: hops could disagree on which of two counts. */
const SINGLE: ReadonlySet<string> = new Set(['host', 'content-type', 'content-length', 'transfer-encoding']);
/** Lengths of these names, as a cheap first test. */
const SINGLE_LENGTHS: ReadonlySet<number> = new Set([...SINGLE].map(({ length }) => length));

/** The fault of a request's headers, or null. `status` is set where it differs from that of the code. After a fault, the connection must be closed. */
export function headerFault(request: IncomingMessage): { readonly error: ServiceError; readonly status?: number } | null {
  const { rawHeaders, headers, httpVersion } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return { status: 505, error: new ServiceError('invalid_request', 'This address speaks HTTP/1.1 and HTTP/1.0 only.') };
  }
  if (rawHeaders.length > 2 * MAX_HEADER_PAIRS) {
    return { status: 431, error: new ServiceError('invalid_request', `The request has more than ${MAX_HEADER_PAIRS} headers.`) };
  }
  const doubled = doubledHeader(rawHeaders);
  if (doubled !== null) return { error: new ServiceError('invalid_request', `The header "${doubled}" appears more than once.`) };
  if (headers.host === undefined && httpVersion !== '1.0')
    return { error: new ServiceError('invalid_request', 'The Host header is missing.') };
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return { error: new ServiceError('invalid_request', 'Only the transfer coding "chunked" is understood.') };
  }
  return null;
}

function doubledHeader(rawHeaders: readonly string[]): string | null {
  const seen: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (!SINGLE_LENGTHS.has(name.length)) continue;
    const lower = name.toLowerCase();
    if (!SINGLE.has(lower)) continue;
    if (seen.includes(lower)) return lower;
    seen.push(lower);
  }
  return null;
}

const JSON_TYPE = 'application/json';
const UTF8_CHARSET = /^charset\s*=\s*"?utf-8"?$/;

/** Splits the header instead of matching it whole: such a pattern would backtrack over 16,000 blanks. */
function isJson(type: string): boolean {
  if (type === JSON_TYPE) return true;
  const [media, charset = '', ...rest] = type.split(';').map((part) => part.trim().toLowerCase());
  return media === JSON_TYPE && (charset === '' || UTF8_CHARSET.test(charset)) && rest.every((part) => part === '');
}

/** The fault that a request's headers show of its body, or null. */
export function bodyFault({ headers }: IncomingMessage, bytesMax: number): ServiceError | null {
  const type = headers['content-type'];
  if (type === undefined || !isJson(type)) {
    return new ServiceError('unsupported_media_type', 'Send the body as JSON in UTF-8, with "Content-Type: application/json".');
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    return new ServiceError('unsupported_media_type', 'Send the body uncompressed, without a Content-Encoding header.');
  }
  return Number(headers['content-length'] ?? 0) > bytesMax ? tooLarge(bytesMax) : null;
}

/** The error of a body above the size limit. */
export const tooLarge = (bytesMax: number): ServiceError =>
  new ServiceError('request_too_large', `The request body is larger than ${bytesMax} bytes.`);
