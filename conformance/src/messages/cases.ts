import type { Part } from '../case.js';
import { messageAnswers } from './answers.js';
import { conversations } from './conversations.js';
import { messageEndings } from './endings.js';
import { refusedMessages } from './refused.js';
import { messageRequests } from './requests.js';

/** The acceptance cases of the messages contract, in parts. */
export const messagesCases: readonly Part[] = [
  ...messageRequests,
  ...refusedMessages,
  ...conversations,
  ...messageAnswers,
  ...messageEndings,
];
