import type { Surface } from '../surface.js';
import { chatErrors } from './chat.errors.js';
import { ChatWriter } from './chat.events.js';
import { type ChatRequest, chatWrongModel, readChatRequest } from './chat.request.js';

/** The chat-completions contract. */
export const chatSurface: Surface<ChatRequest> = {
  api: 'chat',
  errors: chatErrors,
  reader: 'chat',
  read: readChatRequest,
  wrongModel: chatWrongModel,
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
