import { describeIsolation } from './isolation-cases.js';

// 10,000 of them are under verify.
describeIsolation(1_000);
