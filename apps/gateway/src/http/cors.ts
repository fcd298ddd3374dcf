import type { IncomingMessage, ServerResponse } from 'node:http';

/** Stands for every origin. */
const ANY = '*';
/** Methods of the inference API. */
const METHODS = 'GET, HEAD, POST, DELETE';
/** How long a browser may cache a preflight, in seconds: Chromium's maximum. */
const MAX_AGE_S = '7200';
/** A header name (RFC 9110, section 5.1). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Response headers that a page may read, besides the safelisted ones. */
const EXPOSED = [
  ...['x-request-id', 'request-id', 'retry-after', 'x-should-retry', 'x-slipway-schema-relaxed', 'x-slipway-token-count'],
  ...['requests', 'tokens'].flatMap((of) => ['limit', 'remaining', 'reset'].map((what) => `x-ratelimit-${what}-${of}`)),
].join(', ');

/**
 * Reads a list of origins that are separated by commas.
 * @throws Error for a text that no browser sends as an origin
 */
export function parseOrigins(text: string): ReadonlySet<string> {
  const origins = text
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '');
  for (const origin of origins) if (origin !== ANY && !isOrigin(origin)) throw new Error(faultOf(origin));
  return new Set(origins);
}

/** An origin in a browser's notation. Other schemes, such as those of desktop applications, have no normal form. */
function isOrigin(text: string): boolean {
  if (/^https?:/i.test(text)) return !text.includes('*') && URL.canParse(text) && new URL(text).origin === text;
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*\\]+$/.test(text);
}

const faultOf = (origin: string): string =>
  `"${origin}" is not an origin as browsers send it: scheme and host in lower case, a port only where it is not the usual one, no path and no slash at the end; or "*" for every origin`;

/** CORS for the configured origins (Fetch standard), without credentials mode: keys are sent in headers, and there are no cookies. */
export class Cors {
  /** @param origins those of `parseOrigins` */
  constructor(private readonly origins: ReadonlySet<string>) {}

  /** Sets the CORS headers of a response. Does nothing for a request without a configured origin. */
  allow({ headers: { origin } }: Pick<IncomingMessage, 'headers'>, response: Pick<ServerResponse, 'setHeader'>): void {
    if (origin === undefined || !this.#isNamed(origin)) return;
    if (this.origins.has(ANY)) response.setHeader('access-control-allow-origin', ANY);
    else {
      response.setHeader('access-control-allow-origin', origin);
      response.setHeader('vary', 'origin');
    }
    response.setHeader('access-control-expose-headers', EXPOSED);
  }

  /** True for a preflight from a configured origin. */
  isPreflight({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
    return headers.origin !== undefined && this.#isNamed(headers.origin);
  }

  #isNamed(origin: string): boolean {
    return this.origins.size > 0 && (this.origins.has(origin) || this.origins.has(ANY));
  }
}

/**
 * Headers of a preflight response, besides those of `allow`. Every requested header is allowed: clients add new ones with each
 * release, and the gateway ignores headers that it does not know.
 */
export function preflightHeaders({ headers }: Pick<IncomingMessage, 'headers'>): Record<string, string> {
  const asked = (headers['access-control-request-headers'] ?? '').split(',').map((name) => name.trim());
  const allowed = asked.filter((name) => TOKEN.test(name)).join(', ');
  return {
    'access-control-allow-methods': METHODS,
    'access-control-max-age': MAX_AGE_S,
    ...(allowed !== '' && { 'access-control-allow-headers': allowed }),
  };
}
