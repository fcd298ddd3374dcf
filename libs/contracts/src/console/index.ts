export * from './console-api.js';
