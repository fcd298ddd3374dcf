import { describeBodies } from './bodies-cases.js';
import { chatContract } from './chat-contract.js';

describeBodies(chatContract);
