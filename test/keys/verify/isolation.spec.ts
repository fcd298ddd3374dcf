import { describeIsolation } from '../isolation-cases.js';

describeIsolation(10_000);
