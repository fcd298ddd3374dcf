import { describeBodies } from '../bodies-cases.js';
import { messagesContract } from '../messages-contract.js';
import { responsesContract } from '../responses-contract.js';

describeBodies(messagesContract);
describeBodies(responsesContract);
