import { expect, it } from 'vitest';
import { validateGenerated } from '../generated-file.js';

it('ten million lines with one broken are read below 300 MB', { timeout: 900_000 }, async () => {
  const found = await validateGenerated('broken-line', 10_000_000);
  expect(found).toMatchObject({
    state: 'ready',
    examples: 9_999_999,
    rejected: 1,
    canonical: true,
    issues: ['Line 9999999 is not JSON: a text without its closing quote at column 43. Each line must be one complete object.'],
  });
  expect(found.peakMb).toBeLessThan(300);
});
