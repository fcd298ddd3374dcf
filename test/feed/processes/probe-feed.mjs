import { defineFeed } from '@slipway/contracts';
import { createFeedTables } from '@slipway/database';
import { z } from 'zod';

/** A small feed of named numbers with all features of the services' feeds. */
export const ProbeFeed = defineFeed({ name: 'probe', owner: 'keys', readers: ['gateway'], record: z.object({ n: z.int() }) });

export class Things1700000000000 {
  async up(runner) {
    await runner.query('CREATE TABLE thing (id text PRIMARY KEY, n integer, ver integer NOT NULL)');
    for (const statement of createFeedTables(ProbeFeed.name)) await runner.query(statement);
  }

  async down() {
    throw new Error('Test databases are dropped whole.');
  }
}
