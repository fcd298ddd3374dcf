import type { Surface } from '../surface.js';
import { chatErrors } from './chat.errors.js';
import { ChatWriter } from './chat.events.js';
import { type ChatRequest, readChatRequest } from './chat.request.js';

/** The chat-completions contract. */
export const chatSurface: Surface<ChatRequest> = {
  api: 'chat',
  errors: chatErrors,
  read: readChatRequest,
  writer: ({ canonical, usage }, { slug }, streamId) =>
    new ChatWriter({
      id: `chatcmpl-${streamId}`,
      model: slug,
      created: Math.floor(Date.now() / 1000),
      usage,
      choices: canonical.n ?? 1,
      logprobs: canonical.logprobs !== undefined,
      oneCall: canonical.parallel_tool_calls === false,
    }),
};
