import { describe, it } from 'vitest';
import { batches, expectBatchToAgree } from '../schema-agreement.js';

// The first 50 are tried on every change.
describe('a grammar made of a JSON schema', () => {
  it.each(batches(50, 950))('writes only what the schema allows, and takes what it allows, for the random schemas from seed %i', (first) =>
    expectBatchToAgree(first),
  );
});
