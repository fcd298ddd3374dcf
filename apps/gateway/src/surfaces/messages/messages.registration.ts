import type { SurfaceRegistration } from '../surface.js';
import { MessagesController } from './messages.controller.js';
import { messagesErrors } from './messages.errors.js';
import { messagesHint } from './messages.hint.js';
import { messagesModels } from './messages.models.js';
import { messagesOpenApi } from './openapi/messages.openapi.js';

const MESSAGES_END = /\/messages(?:\/count_tokens)?\/*$/;

export const messagesRegistration: SurfaceRegistration = {
  api: 'messages',
  controllers: [MessagesController],
  errors: messagesErrors,
  endpoints: [
    { method: 'POST', path: '/v1/messages' },
    { method: 'POST', path: '/v1/messages/count_tokens' },
  ],
  owns: (path) => MESSAGES_END.test(path),
  header: 'anthropic-version',
  models: messagesModels,
  hint: messagesHint,
  openapi: messagesOpenApi,
};
