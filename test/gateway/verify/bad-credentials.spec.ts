import { describeCredentials } from '../bad-credentials-cases.js';
import { messagesContract } from '../messages-contract.js';
import { responsesContract } from '../responses-contract.js';

describeCredentials(messagesContract);
describeCredentials(responsesContract);
