import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { test } from 'vitest';
import { DeploymentsRig } from './rig.js';

/** Tests with a rig of their own each, which may run side by side, on one PostgreSQL server of their file. */
export const rigTest = test.extend<{ postgres: TestPostgres; rig: DeploymentsRig }>({
  postgres: [
    // oxlint-disable-next-line no-empty-pattern -- vitest reads the fixture's needs from this pattern
    async ({}, use) => {
      const postgres = await startTestPostgres();
      try {
        await use(postgres);
      } finally {
        await postgres.stop();
      }
    },
    { scope: 'file' },
  ],
  rig: async ({ postgres }, use) => {
    const rig = await DeploymentsRig.open(postgres);
    try {
      await use(rig);
    } finally {
      await rig.close();
    }
  },
});
