import { describeFraming } from './bad-framing-cases.js';
import { chatContract } from './chat-contract.js';

describeFraming(chatContract);
