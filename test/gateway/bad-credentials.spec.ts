import { describeCredentials } from './bad-credentials-cases.js';
import { chatContract } from './chat-contract.js';

describeCredentials(chatContract);
