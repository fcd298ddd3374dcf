import type { IncomingHttpHeaders } from 'node:http';
import { fastifyCookie, type SerializeOptions } from '@fastify/cookie';

/** How a cookie is sent: `host` with prefix and Secure, `plain` without both, for http on this machine. */
export type CookieKind = 'host' | 'plain';

/** One cookie of the console: for its own host and paths only, hidden from scripts. Works once the plugin is registered. */
class ConsoleCookie {
  readonly #name: string;
  readonly #options: SerializeOptions;

  constructor(kind: CookieKind, { name, sameSite }: { name: string; sameSite: 'strict' | 'lax' }) {
    // The prefix makes browsers refuse the cookie from other hosts of the domain and over plain http.
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

  /** The value in a request; null for none, and for two of one name, since another site of the domain may have set one. */
  read({ cookie = '' }: IncomingHttpHeaders): string | null {
    const isTwice = cookie.split(';').filter((pair) => pair.trim().startsWith(`${this.#name}=`)).length > 1;
    return isTwice ? null : (fastifyCookie.parse(cookie)[this.#name] ?? null);
  }
}

/** Keeps a session alive; never sent with a request that another site caused. */
export class RefreshCookie extends ConsoleCookie {
  constructor(kind: CookieKind) {
    super(kind, { name: 'slipway_refresh', sameSite: 'strict' });
  }
}

/** Marks a browser that has signed in before: failed sign-ins elsewhere do not lock it out. It opens nothing. */
export class BrowserCookie extends ConsoleCookie {
  constructor(kind: CookieKind) {
    super(kind, { name: 'slipway_browser', sameSite: 'strict' });
  }
}

/** Remembers a sign-in by an identity provider, which comes back by a navigation from its site. */
export class ProviderCookie extends ConsoleCookie {
  constructor(kind: CookieKind) {
    super(kind, { name: 'slipway_oidc', sameSite: 'lax' });
  }
}
