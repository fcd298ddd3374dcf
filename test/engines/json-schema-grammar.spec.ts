import { describe, it } from 'vitest';
import { batches, expectBatchToAgree } from './schema-agreement.js';

// Those from 50 on are under verify.
describe('a grammar made of a JSON schema', () => {
  it.each(batches(0, 50))('writes only what the schema allows, and takes what it allows, for the random schemas from seed %i', (first) =>
    expectBatchToAgree(first),
  );
});
