import { describePaths } from '../bad-paths-cases.js';
import { messagesContract } from '../messages-contract.js';
import { responsesContract } from '../responses-contract.js';

describePaths(messagesContract);
describePaths(responsesContract);
