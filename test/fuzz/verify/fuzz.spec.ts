import { describe, it } from 'vitest';
import { expectUnharmed } from '../expect-unharmed.js';

const FIRST = Number(process.env['FUZZ_SEED'] ?? 1_000_000);
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 100_000);

describe('bodies of every form', () => {
  it(`are answered, or refused by name, and harm no other: ${REQUESTS} of them from seed ${FIRST}`, { timeout: 3_600_000 }, async () => {
    const { statuses, memoryMib, slowest } = await expectUnharmed(FIRST, REQUESTS);
    process.stdout.write(`${JSON.stringify({ seed: FIRST, requests: REQUESTS, statuses, memoryMib, slowest })}\n`);
  });
});
