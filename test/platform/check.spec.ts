import { describe, expect, it } from 'vitest';
import { check, itChecks, KEYS_SERVICE } from './check-cases.js';

describe('--check', () => {
  // Those of the other processes are under verify.
  itChecks('gateway');

  it('names a file in the address of the database', async () => {
    const url = `${KEYS_SERVICE.DATABASE_URL}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`;
    const { code, faults } = await check('keys-service', { ...KEYS_SERVICE, DATABASE_URL: url });
    expect([code, faults]).toEqual([2, [expect.stringContaining('sslrootcert /nowhere/ca.pem cannot be read')]]);
  });
});
