import type { SurfaceDescription } from '../../../openapi/description.js';
import { CHAT_ANSWERS } from './chat.openapi-answer.js';
import { CHAT_MESSAGES } from './chat.openapi-message.js';
import { CHAT_REQUESTS } from './chat.openapi-request.js';

/** The chat-completions contract, for the OpenAPI document. */
export const chatOpenApi: SurfaceDescription = {
  name: 'chat completions',
  description: 'The chat-completions contract. Base URL of its clients: the deployment, with `/v1`.',
  schemas: { ...CHAT_REQUESTS, ...CHAT_MESSAGES, ...CHAT_ANSWERS },
  endpoints: [
    {
      path: '/v1/chat/completions',
      id: 'createChatCompletion',
      summary: 'Answers a conversation',
      description:
        'With `stream`, events hold one chunk each, and the last one the text `[DONE]`. A stream that fails ends with an event that holds an error, without `[DONE]` and without the last chunk of the body.',
      request: 'ChatCompletionRequest',
      answer: 'ChatCompletion',
      event: 'ChatCompletionChunk',
    },
  ],
  error: 'ChatError',
  model: 'ChatModel',
  models: 'ChatModelList',
};
