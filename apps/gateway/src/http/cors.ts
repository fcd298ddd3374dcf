import type { IncomingMessage, ServerResponse } from 'node:http';

/** Stands for every origin. */
const ANY = '*';
/** What the inference API is asked with. */
const METHODS = 'GET, HEAD, POST';
/** How long a browser may keep the answer to a preflight, in seconds: the most that Chromium keeps. */
const MAX_AGE_S = '7200';
/** A header name (RFC 9110, section 5.1). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Headers of answers that a page may read besides those that every page may. */
const EXPOSED = [
  ...['x-request-id', 'request-id', 'retry-after', 'x-should-retry', 'x-slipway-schema-relaxed', 'x-slipway-token-count'],
  ...['requests', 'tokens'].flatMap((of) => ['limit', 'remaining', 'reset'].map((what) => `x-ratelimit-${what}-${of}`)),
].join(', ');

/**
 * Reads a list of origins that are separated by commas.
 * @throws Error for what no browser sends as an origin
 */
export function parseOrigins(text: string): ReadonlySet<string> {
  const origins = text
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '');
  for (const origin of origins) if (origin !== ANY && !isOrigin(origin)) throw new Error(faultOf(origin));
  return new Set(origins);
}

/** An origin as browsers write it. Schemes that they do not know, such as those of desktop applications, have no normal form. */
function isOrigin(text: string): boolean {
  if (/^https?:/i.test(text)) return !text.includes('*') && URL.canParse(text) && new URL(text).origin === text;
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*\\]+$/.test(text);
}

const faultOf = (origin: string): string =>
  `"${origin}" is not an origin as browsers send it: scheme and host in lower case, a port only where it is not the usual one, no path and no slash at the end; or "*" for every origin`;

/**
 * Lets pages of named origins call the gateway (Fetch standard, CORS protocol), without credentials mode: a key comes in a
 * header that the page sets itself, and no cookie opens anything here.
 */
export class Cors {
  /** @param origins those of `parseOrigins` */
  constructor(private readonly origins: ReadonlySet<string>) {}

  /** Notes on a response that its page may read it. Does nothing for a request without a named origin. */
  allow({ headers: { origin } }: Pick<IncomingMessage, 'headers'>, response: Pick<ServerResponse, 'setHeader'>): void {
    if (origin === undefined || !this.#isNamed(origin)) return;
    if (this.origins.has(ANY)) response.setHeader('access-control-allow-origin', ANY);
    else {
      response.setHeader('access-control-allow-origin', origin);
      response.setHeader('vary', 'origin');
    }
    response.setHeader('access-control-expose-headers', EXPOSED);
  }

  /** True for the question of a browser whether a page of a named origin may send its request. */
  isPreflight({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
    return headers.origin !== undefined && this.#isNamed(headers.origin);
  }

  #isNamed(origin: string): boolean {
    return this.origins.size > 0 && (this.origins.has(origin) || this.origins.has(ANY));
  }
}

/**
 * Headers of the answer to a preflight, beside those of `allow`. Every header that the page asks for may be sent: clients add
 * new ones with each release, the gateway ignores those that it does not know, and none of them opens anything but a key.
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
