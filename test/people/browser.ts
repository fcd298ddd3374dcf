/** A response of the console. */
export interface PageAnswer<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T & { readonly error?: { readonly code: string; readonly message: string } };
}

/** A browser of the console, with its cookies. */
export class Browser {
  readonly cookies = new Map<string, string>();
  accessToken: string | undefined;

  constructor(
    readonly url: string,
    private readonly extra: Record<string, string> = {},
  ) {}

  async get<T = Record<string, unknown>>(path: string, headers: Record<string, string> = {}): Promise<PageAnswer<T>> {
    return this.#ask<T>(path, { method: 'GET', headers });
  }

  /** Sends a request as a page of the console does; `headers` replace the page's own. */
  async post<T = Record<string, unknown>>(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<PageAnswer<T>> {
    const own = { origin: this.url, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
    return this.#ask<T>(path, {
      method: 'POST',
      headers: { ...own, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** Follows a link to the console from another site. */
  async navigate(url: string): Promise<Response> {
    const response = await fetch(url, { redirect: 'manual', headers: { 'sec-fetch-site': 'cross-site', ...this.#cookieHeader() } });
    this.keep(response);
    return response;
  }

  /** Stores the cookies of a response. */
  keep(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }

  async #ask<T>(path: string, init: { method: string; headers: Record<string, string>; body?: string }): Promise<PageAnswer<T>> {
    const bearer = this.accessToken === undefined ? {} : { authorization: `Bearer ${this.accessToken}` };
    const headers = { ...bearer, ...this.#cookieHeader(), ...this.extra, ...init.headers };
    const response = await fetch(`${this.url}${path}`, { ...init, headers, redirect: 'manual' });
    this.keep(response);
    const text = await response.text();
    const body = (text.startsWith('{') ? JSON.parse(text) : {}) as PageAnswer<T>['body'];
    const { access_token: token } = body as { access_token?: string };
    if (token !== undefined) this.accessToken = token;
    return { status: response.status, headers: response.headers, body };
  }

  #cookieHeader(): Record<string, string> {
    return this.cookies.size === 0 ? {} : { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
  }
}
