import { chatContract } from './chat-contract.js';
import type { PublicContract } from './contract-form.js';
import { messagesContract } from './messages-contract.js';

/** Every contract behind the door: each table runs once for each. The first one's form is that of answers which belong to none. */
export const CONTRACTS: readonly [PublicContract, ...PublicContract[]] = [chatContract, messagesContract];
