import { NAMED, namedIn } from '../named-deployment.js';

const CHAT = '/v1/chat/completions';
/** Endpoints of the chat contract's family that SDKs call and this gateway does not have. */
const OTHER_ENDPOINTS = /\/(responses|completions|embeddings)$/;
const LACKS_V1 = new RegExp(`^${NAMED}/(?:chat/completions|models(?:/[^/]+)?)$`);
const LACKS_DEPLOYMENT: ReadonlySet<string> = new Set([CHAT, '/chat/completions', '/v1/models', '/models']);

/** Most clients of this contract have /v1 in their base URL; a few add it themselves. */
export function chatHint(path: string, baseUrl: string): string | null {
  const setTo = (deployment: string): string =>
    `A client that adds /v1 itself takes ${baseUrl}${deployment} as its base URL; set any other client's base URL to ${baseUrl}${deployment}/v1.`;
  const named = namedIn(path);
  if (/\/v1\/v1(\/|$)/.test(path)) return `The path has /v1 twice. ${setTo(named.replace(/(?:\/v1)+$/, '') || '/deployment-<id>')}`;
  if (path.endsWith('/chat/completions/chat/completions')) return `The path has /chat/completions twice. ${setTo(named)}`;
  if (path.endsWith('/responses')) {
    return `This contract is not offered: use /v1/chat/completions (in the AI SDK: provider.chat(model)). ${setTo(named)}`;
  }
  if (LACKS_DEPLOYMENT.has(path)) return `The path names no deployment. ${setTo('/deployment-<id>')}`;
  if (LACKS_V1.test(path)) return `The path lacks /v1. ${setTo(named)}`;
  if (path.includes('//')) return `The path has an empty part. ${setTo('/deployment-<id>')}`;
  if (/\/v1\/(?:chat\/completions|models)\/$/.test(path)) return `The path ends with a slash too many. ${setTo(named)}`;
  return OTHER_ENDPOINTS.test(path) ? `This endpoint is not offered: use /v1/chat/completions. ${setTo(named)}` : null;
}
