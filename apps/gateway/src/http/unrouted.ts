import { ServiceError } from '@slipway/contracts';
import { isMessagesPath } from '../surfaces/error-format.js';

const CHAT = '/v1/chat/completions';
const MESSAGES = '/v1/messages';
/** Endpoints of the chat contract's family that SDKs call and this gateway does not have. */
const OTHER_ENDPOINTS = /\/(responses|completions|embeddings|models)$/;
const HEALTH = new Set(['/livez', '/readyz']);
/** What a deployment's part of a path looks like; anything else gets the plain answer. */
const NAMED = '(?:/deployment-[0-9]{1,10}|/[a-z][a-z0-9-]{0,39}/[a-z0-9][a-z0-9._-]{0,62})';
const ENDPOINT_PATH = /^\/[^/]+(?:\/[^/]+)?\/v1\/(?:chat\/completions|messages)$/;

/** The path of a request target, without query; absolute targets lose scheme and authority. */
export function pathOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const end = path.search(/[?#]/);
  return (end === -1 ? path : path.slice(0, end)) || '/';
}

/**
 * Says why no route takes a request, and what to set in a client whose base URL is wrong.
 * @param baseUrl what clients are told to use, without a path.
 */
export function explainUnrouted(method: string, target: string, baseUrl: string): ServiceError {
  const path = pathOf(target);
  if (HEALTH.has(path) && method !== 'GET') return methodNotAllowed('GET');
  if (ENDPOINT_PATH.test(path) && method !== 'POST') return methodNotAllowed('POST');
  const endpoint = isMessagesPath(path) ? MESSAGES : CHAT;
  return new ServiceError(
    'not_found',
    hint(path, baseUrl) ?? `There is nothing here. The endpoint is POST ${baseUrl}/deployment-<id>${endpoint}.`,
  );
}

/** A path whose deployment part shows a wrong base URL; null when it looks right. */
export function misdirected(target: string, baseUrl: string): ServiceError | null {
  const path = pathOf(target);
  const message = /\/v1\/v1\//.test(path) || path === CHAT ? hint(path, baseUrl) : null;
  return message === null ? null : new ServiceError('not_found', message);
}

function methodNotAllowed(allow: string): ServiceError {
  return new ServiceError('method_not_allowed', `Use ${allow} here.`, { facts: { allow } });
}

const hint = (path: string, baseUrl: string): string | null => (isMessagesPath(path) ? messagesHint : chatHint)(path, baseUrl);

/** The start of a path that names a deployment, or what stands for one. */
const namedIn = (path: string): string => new RegExp(`^${NAMED}(?=/)`).exec(path)?.[0] ?? '/deployment-<id>';

/** Clients of this contract add /v1 themselves, but for the AI SDK. */
function messagesHint(path: string, baseUrl: string): string | null {
  const setTo = (deployment: string): string =>
    `Set the client's base URL to ${baseUrl}${deployment} (in the AI SDK: ${baseUrl}${deployment}/v1).`;
  const named = namedIn(path);
  if (/\/v1\/v1\//.test(path)) return `The path has /v1 twice. ${setTo(named.replace(/(?:\/v1)+$/, '') || '/deployment-<id>')}`;
  if (path.includes('//')) return `The path has an empty part. ${setTo('/deployment-<id>')}`;
  if (path.endsWith('/')) return `The path ends with a slash too many. ${setTo(named)}`;
  if (path.endsWith('/count_tokens')) return `Tokens are not counted here yet: use ${MESSAGES}. ${setTo(named)}`;
  if (path === MESSAGES || path === '/messages') return `The path names no deployment. ${setTo('/deployment-<id>')}`;
  return new RegExp(`^${NAMED}/messages$`).test(path) ? `The path lacks /v1. ${setTo(named)}` : null;
}

function chatHint(path: string, baseUrl: string): string | null {
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
