import { describeBodies } from '../bodies-cases.js';
import { messagesContract } from '../messages-contract.js';

describeBodies(messagesContract);
