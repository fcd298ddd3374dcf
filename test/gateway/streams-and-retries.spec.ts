import { chatContract } from './chat-contract.js';
import { describeStreams } from './streams-and-retries-cases.js';

describeStreams(chatContract);
