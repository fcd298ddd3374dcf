export * from './compare-deployments.js';
export * from './find-request.js';
export * from './limit-use.js';
export * from './query-usage.js';
export * from './usage-record.js';
