import { describeFraming } from '../bad-framing-cases.js';
import { messagesContract } from '../messages-contract.js';
import { responsesContract } from '../responses-contract.js';

describeFraming(messagesContract);
describeFraming(responsesContract);
