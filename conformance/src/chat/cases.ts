import type { Part } from '../case.js';
import { chatBodies } from './bodies.js';
import { chatEndings } from './endings.js';
import { refusedChats } from './refused.js';
import { acceptedChats } from './requests.js';
import { chatStreams } from './streams.js';
import { toolsAndForms } from './tools-and-forms.js';

/** The acceptance cases of the chat-completions contract, in parts. */
export const chatCases: readonly Part[] = [
  ...acceptedChats,
  ...refusedChats,
  ...toolsAndForms,
  ...chatStreams,
  ...chatBodies,
  ...chatEndings,
];
