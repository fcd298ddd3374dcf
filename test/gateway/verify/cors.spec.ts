import { describePages } from '../pages-cases.js';
import { messagesContract } from '../messages-contract.js';
import { responsesContract } from '../responses-contract.js';

describePages(messagesContract);
describePages(responsesContract);
