import type { Surface } from '../surface.js';
import { messagesErrors } from './messages.errors.js';
import { MessagesWriter } from './messages.events.js';
import { type MessagesRequest, messagesWrongModel, readMessagesRequest } from './messages.request.js';

/** The messages contract. */
export const messagesSurface: Surface<MessagesRequest> = {
  api: 'messages',
  errors: messagesErrors,
  reader: 'messages',
  read: readMessagesRequest,
  wrongModel: messagesWrongModel,
  writer: ({ thinking, maxTokens, oneCall }, { slug }, streamId) =>
    new MessagesWriter({ id: `msg_01${streamId}`, model: slug, thinking, maxTokens, oneCall }),
};
