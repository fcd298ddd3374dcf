import { NAMED, namedIn } from '../named-deployment.js';

const CHAT = '/v1/chat/completions';
/** Endpoints of the chat contract's family that SDKs call and this gateway does not have. */
const OTHER_ENDPOINTS = /\/(responses|completions|embeddings|models)$/;

/** Clients of this contract have /v1 in their base URL. */
export function chatHint(path: string, baseUrl: string): string | null {
  const setTo = (deployment: string): string => `Set the client's base URL to ${baseUrl}${deployment}/v1.`;
  const named = namedIn(path);
  if (/\/v1\/v1(\/|$)/.test(path)) return `The path has /v1 twice. ${setTo(named.replace(/\/v1$/, ''))}`;
  if (path.endsWith('/chat/completions/chat/completions')) return `The path has /chat/completions twice. ${setTo(named)}`;
  if (path.endsWith('/responses')) {
    return `This contract is not offered: use /v1/chat/completions (in the AI SDK: provider.chat(model)). ${setTo(named)}`;
  }
  if (path === CHAT || path === '/chat/completions') return `The path names no deployment. ${setTo('/deployment-<id>')}`;
  if (new RegExp(`^${NAMED}/chat/completions$`).test(path)) return `The path lacks /v1. ${setTo(named)}`;
  if (path.includes('//')) return `The path has an empty part. ${setTo('/deployment-<id>')}`;
  if (path.endsWith(`${CHAT}/`)) return `The path ends with a slash too many. ${setTo(named)}`;
  return OTHER_ENDPOINTS.test(path) ? `This endpoint is not offered: use /v1/chat/completions. ${setTo(named)}` : null;
}
