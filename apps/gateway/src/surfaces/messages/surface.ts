import { Controller, Post } from '@nestjs/common';
import { Accepts, Context, type InferenceContext } from '../../http/request-context.js';
import { InferenceService } from '../../inference/inference.service.js';
import { NAMED, namedIn } from '../registry.js';
import type { CountSurface, ModelFormat, Surface, SurfaceRegistration } from '../surface.js';
import { MESSAGES_TEXTS } from './conversation.js';
import { messagesErrors } from './errors.js';
import { MessagesWriter } from './events.js';
import { messagesOpenApi } from './openapi.js';
import { type MessagesRequest, readCountRequest, readMessagesRequest, wrongModel } from './request.js';

const PATH = '/v1/messages';
const COUNT_PATH = `${PATH}/count_tokens`;

const surface: Surface<MessagesRequest> = {
  api: 'messages',
  errors: messagesErrors,
  reader: 'messages',
  texts: MESSAGES_TEXTS,
  read: readMessagesRequest,
  wrongModel,
  writer: ({ thinking, maxTokens, oneCall }, { slug }, streamId) =>
    new MessagesWriter({ id: `msg_01${streamId}`, model: slug, thinking, maxTokens, oneCall }),
};

const count: CountSurface = {
  reader: 'count',
  texts: MESSAGES_TEXTS,
  read: readCountRequest,
  wrongModel,
  response: ({ tokens, isEstimate }) => ({
    headers: isEstimate ? { 'x-slipway-token-count': 'estimate' } : {},
    body: JSON.stringify({ input_tokens: tokens }),
  }),
};

@Controller()
class MessagesController {
  readonly #inference: InferenceService;

  constructor(inference: InferenceService) {
    this.#inference = inference;
  }

  @Post([`:deployment${PATH}`, `:account/:alias${PATH}`])
  @Accepts('deployment-key')
  create(@Context() context: InferenceContext): Promise<void> {
    return this.#inference.generate(surface, context);
  }

  @Post([`:deployment${COUNT_PATH}`, `:account/:alias${COUNT_PATH}`])
  @Accepts('deployment-key')
  count(@Context() context: InferenceContext): Promise<void> {
    return this.#inference.count(count, context);
  }
}

/** The contract's value for an unknown date. */
const UNKNOWN_TIME = '1970-01-01T00:00:00Z';

const model: ModelFormat['one'] = ({ id, context }) => ({
  type: 'model',
  id,
  display_name: id,
  created_at: UNKNOWN_TIME,
  capabilities: null,
  deprecated_at: null,
  lifecycle: 'active',
  line: null,
  max_input_tokens: context,
  max_tokens: context,
  retires_at: null,
});

const LACKS_V1 = new RegExp(`^${NAMED}/(?:messages(?:/count_tokens)?|models(?:/[^/]+)?)$`);
const LACKS_DEPLOYMENT: ReadonlySet<string> = new Set([PATH, '/messages', '/v1/models', '/models']);

/** SDKs of this contract add /v1 to the base URL; the AI SDK and some other clients do not. */
function hint(path: string, baseUrl: string): string | null {
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

const MESSAGES_END = /\/messages(?:\/count_tokens)?\/*$/;

/** The messages contract, with its `count_tokens`. */
export const messages: SurfaceRegistration = {
  api: 'messages',
  controllers: [MessagesController],
  errors: messagesErrors,
  endpoints: [
    { method: 'POST', path: PATH },
    { method: 'POST', path: COUNT_PATH },
  ],
  owns: (path) => MESSAGES_END.test(path),
  header: 'anthropic-version',
  models: { one: model, list: (entry) => ({ data: [model(entry)], has_more: false, first_id: entry.id, last_id: entry.id }) },
  hint,
  openapi: messagesOpenApi,
};
