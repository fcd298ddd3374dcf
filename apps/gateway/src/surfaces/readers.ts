import { readChatRequest } from './chat/request.js';
import { readCountRequest, readMessagesRequest } from './messages/request.js';
import type { BodyReading, ReaderName } from './surface.js';

/** The readers of bodies by their names. Every thread loads this file, so it imports nothing else of a contract. */
export const READERS: Readonly<Record<ReaderName, BodyReading['read']>> = {
  chat: readChatRequest,
  messages: readMessagesRequest,
  count: readCountRequest,
};
