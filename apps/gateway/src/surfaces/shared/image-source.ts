import { HostList } from '@slipway/platform';

/** The image URL for a worker, or its fault as the end of a sentence that begins with the field. */
export type ImageSource = { readonly url: string } | { readonly fault: string };

const DATA_URL_HEAD = /^data:image\/(png|jpeg|jpg|webp|gif);base64,/i;
const NOT_BASE64 = /[^A-Za-z0-9+/]/;

/**
 * Checks the URL of an image in a message. Workers fetch it, and only from these hosts.
 * @param hosts hosts that the operator allows images to be fetched from, as a `HostList` reads them.
 */
export function imageSource(url: string, hosts: readonly string[]): ImageSource {
  return /^data:/i.test(url) ? fromDataUrl(url) : fromRemoteUrl(url, hosts);
}

function fromDataUrl(url: string): ImageSource {
  const head = DATA_URL_HEAD.exec(url);
  if (!head) return { fault: 'must be a data: URL of an image/png, image/jpeg, image/webp or image/gif in base64' };
  const data = url.slice(head[0].length);
  const digits = data.replace(/={1,2}$/, '');
  if (digits === '' || data.length % 4 !== 0 || NOT_BASE64.test(digits)) return { fault: 'holds data that is not valid base64' };
  const type = head[1]?.toLowerCase() === 'jpg' ? 'jpeg' : head[1]?.toLowerCase();
  return { url: `data:image/${type};base64,${data}` };
}

function fromRemoteUrl(url: string, hosts: readonly string[]): ImageSource {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isAllowed = parsed?.protocol === 'https:' && `${parsed.username}${parsed.password}` === '' && listOf(hosts).allows(parsed);
  if (isAllowed) return { url: parsed.href };
  const allowed = hosts.length === 0 ? '' : `, or an https URL on ${hosts.join(', ')}`;
  return { fault: `must be a data: URL with the image in base64${allowed}; no other address is fetched` };
}

/** One parsed list for each array; the configured array never changes. */
const lists = new WeakMap<readonly string[], HostList>();

function listOf(hosts: readonly string[]): HostList {
  const known = lists.get(hosts) ?? new HostList(hosts);
  lists.set(hosts, known);
  return known;
}
