import { expect, it } from 'vitest';
import { validateGenerated } from './generated-file.js';

it('a line of 2 GB is read past in flat memory', async () => {
  const found = await validateGenerated('long-line', 2_000_000_000);
  expect(found).toMatchObject({ state: 'ready', examples: 1_000, rejected: 1, canonical: true, issues: ['Line 1 is longer than 1 MiB.'] });
  expect(found.peakMb).toBeLessThan(300);
});

it('a gzip bomb of 1 GB is refused in flat memory', async () => {
  const found = await validateGenerated('bomb', 1_000_000_000);
  expect(found).toMatchObject({ state: 'invalid', reason: 'too_large', examples: 0 });
  expect(found.peakMb).toBeLessThan(300);
});
