import { describe, it } from 'vitest';
import { expectToAgree } from '../schema-agreement.js';

const BATCH = 100;

describe('a grammar made of a JSON schema', () => {
  it.each(Array.from({ length: 1_000 / BATCH }, (_, i) => i * BATCH))(
    `writes only what the schema allows, and takes what it allows: ${BATCH} random schemas from seed %i`,
    (first) => {
      for (let seed = first; seed < first + BATCH; seed += 1) expectToAgree(seed);
    },
  );
});
