import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '@slipway/contracts';
import type { OwnOrigin } from './own-origin.js';

/** Methods that change nothing. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const API_KEY = /^\s*(?:bearer\s+)?svc_/i;

/** What a request must be before anything else of it is looked at. */
export interface RequestHead {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Refuses what no page of the console would send: an API key, and changes asked for by another site's page. Cookies
 * travel with such a page's requests, but neither its Origin nor a JSON body can be forged without asking first.
 * @throws ServiceError `insufficient_scope`, `not_permitted`, `unsupported_media_type`
 */
export function checkRequest({ method, headers }: RequestHead, own: OwnOrigin): void {
  if (headers['x-api-key'] !== undefined || API_KEY.test(headers.authorization ?? '')) {
    throw new ServiceError('insufficient_scope', 'API keys open no part of the console: sign in with your address and password.');
  }
  if (SAFE.has(method)) return;
  const { origin, 'sec-fetch-site': site } = headers;
  const isOwn = origin === undefined ? site === 'same-origin' : own.owns(origin) && (site === undefined || site === 'same-origin');
  if (!isOwn) throw new ServiceError('not_permitted', `Only pages of ${own.url} may do this.`);
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) {
    throw new ServiceError('unsupported_media_type', 'Send the body as JSON in UTF-8, with "Content-Type: application/json".');
  }
}
