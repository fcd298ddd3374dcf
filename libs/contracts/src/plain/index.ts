/**
 * Errors and the texts of keys, without zod: threads that check data sets import this part of the contracts, and all others as
 * types. Loading the schemas takes longer than checking a small data set.
 * @packageDocumentation
 */
export * from '../errors.js';
export * from '../keys/key-text.js';
