import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { test } from 'vitest';

/** Tests on one PostgreSQL of their file. */
export const postgresTest = test.extend<{ postgres: TestPostgres }>({
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
});

interface Closable {
  close(): Promise<void>;
}

/** A fixture of `postgresTest` that closes what it opened, also after a failure. */
export const opened =
  <R extends Closable>(open: (postgres: TestPostgres) => Promise<R>) =>
  async ({ postgres }: { postgres: TestPostgres }, use: (rig: R) => Promise<void>): Promise<void> => {
    const rig = await open(postgres);
    try {
      await use(rig);
    } finally {
      await rig.close();
    }
  };
