/**
 * Engines and sources of models, without zod: a page in a browser imports this part of the contracts as values, and all others
 * as types.
 * @packageDocumentation
 */
export * from './engine-kinds.js';
export * from './sources.js';
export * from './tasks.js';
