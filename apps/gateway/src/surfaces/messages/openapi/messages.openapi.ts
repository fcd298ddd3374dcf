import type { SurfaceDescription } from '../../../openapi/description.js';
import { MESSAGES_ANSWERS } from './messages.openapi-answer.js';
import { MESSAGES_BLOCKS } from './messages.openapi-block.js';
import { MESSAGES_REQUESTS } from './messages.openapi-request.js';

/** The messages contract, for the OpenAPI document. */
export const messagesOpenApi: SurfaceDescription = {
  name: 'messages',
  description: 'The messages contract. Base URL of its clients: the deployment, without `/v1`, which they add.',
  schemas: { ...MESSAGES_REQUESTS, ...MESSAGES_BLOCKS, ...MESSAGES_ANSWERS },
  endpoints: [
    {
      path: '/v1/messages',
      id: 'createMessage',
      summary: 'Answers a conversation',
      description:
        'With `stream`, events are named by their type. A stream that fails ends with `event: error`, without `message_stop` and without the last chunk of the body.',
      request: 'MessageRequest',
      answer: 'Message',
      event: 'MessageStreamEvent',
    },
    {
      path: '/v1/messages/count_tokens',
      id: 'countMessageTokens',
      summary: 'Counts the tokens of a prompt',
      description: 'The prompt is that of a message with the same fields. Nothing is generated, and no slot is taken.',
      request: 'TokenCountRequest',
      answer: 'TokenCount',
      headers: { 'x-slipway-token-count': '`estimate` where the engine cannot count; absent where the count is exact.' },
    },
  ],
  error: 'MessagesError',
  model: 'MessagesModel',
  models: 'MessagesModelList',
};
