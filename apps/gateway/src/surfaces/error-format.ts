import { chatErrors } from './chat-completions/chat.errors.js';
import type { ErrorFormat } from './surface.js';

/** The contract in which errors on a path are written; chat's where the path belongs to none. */
export const errorFormatOf = (_path: string): ErrorFormat => chatErrors;
