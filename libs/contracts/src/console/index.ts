export * from './console-api.js';
export * from './console-routes.js';
