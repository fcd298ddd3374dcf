import { Controller, Post } from '@nestjs/common';
import { Accepts, Context, type InferenceContext } from '../../http/request-context.js';
import { InferenceService } from '../../inference/inference.service.js';
import { NAMED, namedIn } from '../registry.js';
import type { Surface, SurfaceRegistration } from '../surface.js';
import { CHAT_TEXTS } from './conversation.js';
import { chatErrors } from './errors.js';
import { ChatWriter } from './events.js';
import { chatModels } from './models.js';
import { chatOpenApi } from './openapi.js';
import { type ChatRequest, readChatRequest, wrongModel } from './request.js';

const PATH = '/v1/chat/completions';

const surface: Surface<ChatRequest> = {
  api: 'chat',
  errors: chatErrors,
  reader: 'chat',
  texts: CHAT_TEXTS,
  read: readChatRequest,
  wrongModel,
  writer: ({ usage, choices, logprobs, oneCall }, { slug }, streamId) =>
    new ChatWriter({
      id: `chatcmpl-${streamId}`,
      model: slug,
      created: Math.floor(Date.now() / 1000),
      usage,
      choices,
      logprobs,
      oneCall,
    }),
};

@Controller()
class ChatController {
  readonly #inference: InferenceService;

  constructor(inference: InferenceService) {
    this.#inference = inference;
  }

  @Post([`:deployment${PATH}`, `:account/:alias${PATH}`])
  @Accepts('deployment-key')
  complete(@Context() context: InferenceContext): Promise<void> {
    return this.#inference.generate(surface, context);
  }
}

/** Endpoints that SDKs of this contract call and the gateway does not offer. */
const OTHER_ENDPOINTS = /\/completions$/;
const LACKS_V1 = new RegExp(`^${NAMED}/(?:chat/completions|models(?:/[^/]+)?)$`);
const LACKS_DEPLOYMENT: ReadonlySet<string> = new Set([PATH, '/chat/completions', '/v1/models', '/models']);

/** Most clients of this contract have /v1 in their base URL; a few add it themselves. */
function hint(path: string, baseUrl: string): string | null {
  const setTo = (deployment: string): string =>
    `A client that adds /v1 itself takes ${baseUrl}${deployment} as its base URL; set any other client's base URL to ${baseUrl}${deployment}/v1.`;
  const named = namedIn(path);
  if (/\/v1\/v1(\/|$)/.test(path)) return `The path has /v1 twice. ${setTo(named.replace(/(?:\/v1)+$/, '') || '/deployment-<id>')}`;
  if (path.endsWith('/chat/completions/chat/completions')) return `The path has /chat/completions twice. ${setTo(named)}`;
  if (LACKS_DEPLOYMENT.has(path)) return `The path names no deployment. ${setTo('/deployment-<id>')}`;
  if (LACKS_V1.test(path)) return `The path lacks /v1. ${setTo(named)}`;
  if (path.includes('//')) return `The path has an empty part. ${setTo('/deployment-<id>')}`;
  if (/\/v1\/(?:chat\/completions|models)\/$/.test(path)) return `The path ends with a slash too many. ${setTo(named)}`;
  return OTHER_ENDPOINTS.test(path) ? `This endpoint is not offered: use ${PATH}. ${setTo(named)}` : null;
}

/** The chat-completions contract. It is registered first, so paths of no other contract belong to it. */
export const chat: SurfaceRegistration = {
  api: 'chat',
  controllers: [ChatController],
  errors: chatErrors,
  endpoints: [{ method: 'POST', path: PATH }],
  owns: (path) => path.endsWith('/chat/completions'),
  models: chatModels,
  hint,
  openapi: chatOpenApi,
};
