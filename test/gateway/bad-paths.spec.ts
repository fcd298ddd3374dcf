import { describePaths } from './bad-paths-cases.js';
import { chatContract } from './chat-contract.js';

describePaths(chatContract);
