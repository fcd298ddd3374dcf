import { describeAnonymousConnections } from '../console-memory-cases.js';

describeAnonymousConnections(4_000);
