export * from './deployment-keys.js';
export * from './key-feed.js';
export * from './key-text.js';
export * from './key-view.js';
export * from './mcp-calls.js';
export * from './mcp-key.js';
