import { chatErrors } from './chat-completions/chat.errors.js';
import { messagesErrors } from './messages/messages.errors.js';
import type { ErrorFormat } from './surface.js';

const MESSAGES_END = /\/messages(?:\/count_tokens)?\/*$/;

/** A path of the messages contract by its end, whatever comes before it. */
export const isMessagesPath = (path: string): boolean => MESSAGES_END.test(path);

/** The contract in which errors on a path are written; chat's where the path belongs to none. */
export const errorFormatOf = (path: string): ErrorFormat => (isMessagesPath(path) ? messagesErrors : chatErrors);
