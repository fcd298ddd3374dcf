import type { IncomingHttpHeaders } from 'node:http';
import { fastifyCookie, type SerializeOptions } from '@fastify/cookie';

/** `host`: with the prefix __Host- and Secure; `plain`: without both, for http on this machine. */
export type CookieKind = 'host' | 'plain';

/** A cookie of the console, bound to its host and hidden from scripts. Needs the registered plugin. */
class ConsoleCookie {
  readonly #name: string;
  readonly #options: SerializeOptions;

  constructor(kind: CookieKind, { name, sameSite }: { name: string; sameSite: 'strict' | 'lax' }) {
    // With the prefix, browsers refuse a cookie that another host of the domain or plain http sets.
    this.#name = kind === 'host' ? `__Host-${name}` : name;
    this.#options = { path: '/', httpOnly: true, sameSite, secure: kind === 'host' };
  }

  /** Value of a Set-Cookie header. */
  write(value: string, maxAgeS: number): string {
    return fastifyCookie.serialize(this.#name, value, { ...this.#options, maxAge: Math.max(0, Math.floor(maxAgeS)) });
  }

  /** Value of a Set-Cookie header that removes the cookie. */
  clear(): string {
    return this.write('', 0);
  }

  /** The value in a request; null for none, and for two of one name: another host of the domain may have set one. */
  read({ cookie = '' }: IncomingHttpHeaders): string | null {
    const isDuplicate = cookie.split(';').filter((pair) => pair.trim().startsWith(`${this.#name}=`)).length > 1;
    return isDuplicate ? null : (fastifyCookie.parse(cookie)[this.#name] ?? null);
  }
}

/** Holds the refresh token. Browsers do not send it with requests that another site causes. */
export class RefreshCookie extends ConsoleCookie {
  constructor(kind: CookieKind) {
    super(kind, { name: 'slipway_refresh', sameSite: 'strict' });
  }
}

/** Marks a browser that has signed in before, so that failed sign-ins elsewhere do not lock it out. It is no credential. */
export class BrowserCookie extends ConsoleCookie {
  constructor(kind: CookieKind) {
    super(kind, { name: 'slipway_browser', sameSite: 'strict' });
  }
}

/** Holds a pending sign-in at an identity provider. `lax`, since the browser comes back by a navigation from another site. */
export class ProviderCookie extends ConsoleCookie {
  constructor(kind: CookieKind) {
    super(kind, { name: 'slipway_oidc', sameSite: 'lax' });
  }
}
