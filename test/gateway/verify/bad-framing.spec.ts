import { describeFraming } from '../bad-framing-cases.js';
import { messagesContract } from '../messages-contract.js';

describeFraming(messagesContract);
