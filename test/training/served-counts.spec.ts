import { describeServedCounts } from './served-counts-cases.js';

// 3,000 of them are under verify.
describeServedCounts(400);
