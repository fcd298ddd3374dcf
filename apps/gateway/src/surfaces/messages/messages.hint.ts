import { NAMED, namedIn } from '../named-deployment.js';

const MESSAGES = '/v1/messages';
const LACKS_V1 = new RegExp(`^${NAMED}/(?:messages(?:/count_tokens)?|models(?:/[^/]+)?)$`);
const LACKS_DEPLOYMENT: ReadonlySet<string> = new Set([MESSAGES, '/messages', '/v1/models', '/models']);

/** SDKs of this contract add /v1 themselves; the AI SDK does not, nor do some clients of their own making. */
export function messagesHint(path: string, baseUrl: string): string | null {
  const setTo = (deployment: string): string =>
    `Set the client's base URL to ${baseUrl}${deployment} (in the AI SDK, and in any client that adds no /v1: ${baseUrl}${deployment}/v1).`;
  const addNone = (deployment: string): string =>
    `SDKs of the messages contract take ${baseUrl}${deployment} and add /v1; this client adds none, so set its base URL to ${baseUrl}${deployment}/v1.`;
  const named = namedIn(path);
  const bare = path.replace(/\/count_tokens$/, '');
  if (/\/v1\/v1\//.test(path)) return `The path has /v1 twice. ${setTo(named.replace(/(?:\/v1)+$/, '') || '/deployment-<id>')}`;
  if (path.includes('//')) return `The path has an empty part. ${setTo('/deployment-<id>')}`;
  if (path.endsWith('/')) return `The path ends with a slash too many. ${setTo(named)}`;
  if (LACKS_DEPLOYMENT.has(bare)) return `The path names no deployment. ${(bare.startsWith('/v1/') ? setTo : addNone)('/deployment-<id>')}`;
  return LACKS_V1.test(path) ? `The path lacks /v1. ${addNone(named)}` : null;
}
