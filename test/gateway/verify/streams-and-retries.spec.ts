import { messagesContract } from '../messages-contract.js';
import { responsesContract } from '../responses-contract.js';
import { describeStreams } from '../streams-and-retries-cases.js';

describeStreams(messagesContract);
describeStreams(responsesContract);
