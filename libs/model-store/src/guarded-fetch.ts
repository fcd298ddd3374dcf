import type { HostList } from '@slipway/platform';

const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** A request to a host that is not on the operator's list. The message is public. */
export class ForbiddenHostError extends Error {
  override readonly name = 'ForbiddenHostError';
}

type Fetch = typeof globalThis.fetch;

/** What `guardedFetch` may be told. */
export interface GuardedFetchOptions {
  readonly onRedirect?: (headers: Headers) => void;
  /** What is fetched, for refusals; default `the model`. */
  readonly what?: string;
  /** Allows http to listed hosts of this machine, by their names `localhost`, `127.0.0.1` and `[::1]`; default false. */
  readonly isLocalAllowed?: boolean;
}

const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A `fetch` that reaches only allowed hosts, over https, and checks every redirect before it follows it. */
export function guardedFetch(fetch: Fetch, hosts: HostList, options: GuardedFetchOptions = {}): Fetch {
  const { onRedirect = () => undefined, what = 'the model', isLocalAllowed = false } = options;
  const permit = (url: URL, first: boolean): void => {
    // An allowed name may resolve to a private address, but no server there has a certificate for the name.
    const isSafe = url.protocol === 'https:' || (isLocalAllowed && url.protocol === 'http:' && LOCAL.has(url.hostname));
    if (isSafe && hosts.allows(url)) return;
    const which = first ? `The address of ${what}` : `A redirect from the address of ${what}`;
    throw new ForbiddenHostError(`${which} leads to ${url.protocol}//${url.host}, which is not on the list of allowed hosts.`);
  };
  return async (input, init) => {
    const request = new Request(input, init);
    let url = new URL(request.url);
    permit(url, true);
    const headers = new Headers(request.headers);
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const response = await fetch(url, { method: request.method, headers, redirect: 'manual', signal: request.signal });
      const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
      if (location === null) return response;
      onRedirect(response.headers);
      await response.body?.cancel();
      const next = new URL(location, url);
      permit(next, false);
      // As in browsers, a credential goes to the first origin only.
      if (next.origin !== url.origin) headers.delete('authorization');
      url = next;
    }
    throw new Error(`The address of ${what} redirects too often.`);
  };
}
