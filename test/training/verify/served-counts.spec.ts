import { describeServedCounts } from '../served-counts-cases.js';

describeServedCounts(3_000);
