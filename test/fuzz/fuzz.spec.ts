import { describe, expect, it } from 'vitest';
import { expectUnharmed } from './expect-unharmed.js';

const FIRST = 1;
const REQUESTS = 1_000;

// 100,000 of them, and what becomes of one that does harm, are under verify.
describe('bodies of every form', () => {
  it('are answered, or refused by name, and harm no other: 1,000 of them', async () => {
    const { statuses } = await expectUnharmed(FIRST, REQUESTS);
    for (const endpoint of ['chat', 'messages', 'responses', 'count', 'embeddings']) {
      expect(statuses[`${endpoint} 200`], endpoint).toBeGreaterThan(25);
      expect(statuses[`${endpoint} 400`], endpoint).toBeGreaterThan(25);
    }
  });
});
