import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '@slipway/contracts';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]', '::1'];

/** True for loopback names and addresses. */
export const isLoopback = (host: string): boolean => LOOPBACK.includes(host);

/** The origin of the console's own pages. */
export class OwnOrigin {
  readonly #accepted: ReadonlySet<string>;
  /** Host names of the console, without a port. */
  readonly hostnames: readonly string[];
  /** Address of the console, without a path. */
  readonly url: string;

  constructor({ baseUrl, host, port }: { baseUrl: string | undefined; host: string; port: number }) {
    const named = new URL(baseUrl ?? `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}`);
    this.url = named.origin;
    this.hostnames = isLoopback(named.hostname) ? ['127.0.0.1', 'localhost', '[::1]'] : [named.hostname];
    this.#accepted = new Set(this.hostnames.map((name) => `${named.protocol}//${name}${named.port === '' ? '' : `:${named.port}`}`));
  }

  get isSecure(): boolean {
    return this.url.startsWith('https:');
  }

  /** True for an Origin header of the console's own pages. All loopback names count as the same origin. */
  owns(origin: string): boolean {
    return this.#accepted.has(origin);
  }
}

/** Methods without side effects. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const API_KEY = /^\s*(?:bearer\s+)?svc_/i;

/** The part of a request that `checkRequest` reads. */
export interface RequestHead {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Refuses API keys and cross-site changes. Browsers send cookies with requests of another site's page, but such a page can set
 * neither another Origin nor a JSON content type without a preflight.
 * @throws ServiceError `insufficient_scope`, `not_permitted`, `unsupported_media_type`
 */
export function checkRequest({ method, headers }: RequestHead, own: OwnOrigin): void {
  if (headers['x-api-key'] !== undefined || API_KEY.test(headers.authorization ?? '')) {
    throw new ServiceError('insufficient_scope', 'API keys are not accepted by the console: sign in with your address and password.');
  }
  if (SAFE.has(method)) return;
  const { origin, 'sec-fetch-site': site } = headers;
  const isOwn = origin === undefined ? site === 'same-origin' : own.owns(origin) && (site === undefined || site === 'same-origin');
  if (!isOwn) throw new ServiceError('not_permitted', `Only pages of ${own.url} may send this request.`);
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) {
    throw new ServiceError('unsupported_media_type', 'Send the body as JSON in UTF-8, with "Content-Type: application/json".');
  }
}
