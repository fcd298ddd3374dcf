import { describeAnonymousConnections } from './console-memory-cases.js';

// The same with 4,000 of them is under verify.
describeAnonymousConnections(200);
