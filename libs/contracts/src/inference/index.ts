export * from './canonical-request.js';
export * from './capability.js';
export * from './control.js';
export * from './frames.js';
export * from './response-store.js';
export * from './start.js';
export * from './stream-event.js';
