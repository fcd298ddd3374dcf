import type { SurfaceRegistration } from '../surface.js';
import { ChatController } from './chat.controller.js';
import { chatErrors } from './chat.errors.js';
import { chatHint } from './chat.hint.js';
import { chatModels } from './chat.models.js';
import { chatOpenApi } from './openapi/chat.openapi.js';

/** Paths of no other contract belong to this one, for it stands first. */
export const chatRegistration: SurfaceRegistration = {
  api: 'chat',
  controllers: [ChatController],
  errors: chatErrors,
  endpoints: [{ method: 'POST', path: '/v1/chat/completions' }],
  owns: (path) => path.endsWith('/chat/completions'),
  models: chatModels,
  hint: chatHint,
  openapi: chatOpenApi,
};
