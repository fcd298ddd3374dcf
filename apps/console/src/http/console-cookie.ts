import type { IncomingHttpHeaders } from 'node:http';

/** How a cookie leaves: `host` with prefix and Secure, `plain` without both, for http on this machine. */
export type CookieKind = 'host' | 'plain';

interface CookieSpec {
  readonly name: string;
  readonly sameSite: 'Strict' | 'Lax';
}

/** One cookie of the console: for its own paths and host alone, out of the reach of scripts. */
class ConsoleCookie {
  readonly #name: string;
  readonly #attributes: string;

  constructor(kind: CookieKind, { name, sameSite }: CookieSpec) {
    // The prefix makes browsers refuse the cookie from other hosts of the domain and over plain http.
    this.#name = kind === 'host' ? `__Host-${name}` : name;
    this.#attributes = `Path=/; HttpOnly; SameSite=${sameSite}${kind === 'host' ? '; Secure' : ''}`;
  }

  /** Value of a Set-Cookie header. */
  write(value: string, maxAgeS: number): string {
    return `${this.#name}=${value}; Max-Age=${Math.max(0, Math.floor(maxAgeS))}; ${this.#attributes}`;
  }

  /** Value of a Set-Cookie header that takes the cookie away. */
  clear(): string {
    return this.write('', 0);
  }

  /** The value that a request brings; null for none, and for several, of which one is somebody else's. */
  read({ cookie = '' }: IncomingHttpHeaders): string | null {
    const prefix = `${this.#name}=`;
    const values = cookie
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(prefix));
    return values.length === 1 ? (values[0]?.slice(prefix.length) ?? null) : null;
  }
}

/** Keeps a session going; never sent with a request that another site asked for. */
export class RefreshCookie extends ConsoleCookie {
  constructor(kind: CookieKind) {
    super(kind, { name: 'slipway_refresh', sameSite: 'Strict' });
  }
}

/** Shows that this browser has signed in before: failed sign-ins elsewhere do not lock it out. It opens nothing. */
export class BrowserCookie extends ConsoleCookie {
  constructor(kind: CookieKind) {
    super(kind, { name: 'slipway_browser', sameSite: 'Strict' });
  }
}

/** Remembers a sign-in by an identity provider, which comes back by a navigation from its site. */
export class ProviderCookie extends ConsoleCookie {
  constructor(kind: CookieKind) {
    super(kind, { name: 'slipway_oidc', sameSite: 'Lax' });
  }
}
