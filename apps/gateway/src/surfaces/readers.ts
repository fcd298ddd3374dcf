import { readChatRequest } from './chat-completions/chat.request.js';
import { readCountRequest, readMessagesRequest } from './messages/messages.request.js';
import type { BodyReading, ReaderName } from './surface.js';

/** What threads read bodies with: no more of each public contract than that, as every thread loads it. */
export const READERS: Readonly<Record<ReaderName, BodyReading['read']>> = {
  chat: readChatRequest,
  messages: readMessagesRequest,
  count: readCountRequest,
};
