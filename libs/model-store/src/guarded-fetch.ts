import type { HostList } from '@slipway/platform';

const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** A request to a host that is not on the operator's list. The message is public. */
export class ForbiddenHostError extends Error {
  override readonly name = 'ForbiddenHostError';
}

type Fetch = typeof globalThis.fetch;

/** A `fetch` that reaches only allowed hosts, over https, and checks every redirect before it follows it. */
export function guardedFetch(fetch: Fetch, hosts: HostList, onRedirect: (headers: Headers) => void = () => undefined): Fetch {
  const permit = (url: URL, first: boolean): void => {
    // An allowed name may resolve to a private address, but no server there has a certificate for the name.
    if (url.protocol === 'https:' && hosts.allows(url)) return;
    const what = first ? 'The address of the model' : 'A redirect from the address of the model';
    throw new ForbiddenHostError(`${what} leads to ${url.protocol}//${url.host}, which is not on the list of allowed model hosts.`);
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
    throw new Error('The address of the model redirects too often.');
  };
}
