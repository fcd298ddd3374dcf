import { setTimeout as delay } from 'node:timers/promises';
import { Database } from '@slipway/database';
import { FeedPublisher } from '@slipway/feed';
import { connectNats, createLogger } from '@slipway/platform';
import { machineNow } from './machine-now.mjs';
import { ProbeFeed, Things1700000000000 } from './probe-feed.mjs';

/** Reads again what a database without processor time did not answer. */
async function patiently(read) {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (error.code !== 'unavailable') throw error;
      await delay(100);
    }
  }
}

/** Tries a transaction again where a database without processor time opened no connection: nothing was written then. */
async function written(transactions, work) {
  for (;;) {
    let hasBegun = false;
    try {
      return await transactions.run((tx) => {
        hasBegun = true;
        return work(tx);
      });
    } catch (error) {
      if (hasBegun || error.code !== 'unavailable') throw error;
      await delay(100);
    }
  }
}

/** Starts a replica that publishes the probe feed, and returns its commands. */
export async function startPublisher({ natsUrl, databaseUrl, env, level }) {
  const log = createLogger('publisher', level);
  const options = { url: databaseUrl, applicationName: 'probe', log };
  const database = new Database({ ...options, entities: [], migrations: [Things1700000000000] });
  await database.open();
  const { transactions } = database;
  const nats = await connectNats({ url: natsUrl, role: 'keys', name: 'publisher', log });

  const source = {
    page: (after, limit) =>
      transactions.read(async (connection) => {
        const rows = await connection.query('SELECT id, n, ver FROM thing WHERE n IS NOT NULL AND id > $1 ORDER BY id LIMIT $2', [
          after ?? '',
          limit,
        ]);
        return rows.map(({ id, n, ver }) => ({ id, ver, rec: { n } }));
      }),
  };
  const store = database.feedStore(ProbeFeed.name);
  const feed = new FeedPublisher({ contract: ProbeFeed, store, source, nats, env, log });
  feed.start();

  const change = async (tx, { id, n }) => {
    const [{ ver }] = await tx.query(
      'INSERT INTO thing (id, n, ver) VALUES ($1, $2, 1) ON CONFLICT (id) DO UPDATE SET n = $2, ver = thing.ver + 1 RETURNING ver',
      [id, n],
    );
    return feed.record(tx, n === null ? { op: 'del', id, ver } : { op: 'put', id, ver, rec: { n } });
  };
  const write = (thing) => written(transactions, (tx) => change(tx, thing));

  return {
    serving: () => feed.serving,
    /** Sets a record, or removes it with null. Returns when the commit was confirmed. */
    set: async (thing) => ({ ticket: await write(thing), committedAt: machineNow() }),
    /** The same, in one attempt. */
    setOnce: async (thing) => ({ ticket: await transactions.run((tx) => change(tx, thing)), committedAt: machineNow() }),
    setMany: async ({ prefix, count, n }) => {
      for (let i = 0; i < count; i += 1) await write({ id: `${prefix}${i}`, n });
    },
    propagation: async ({ ticket, timeoutMs }) => ({ ...(await feed.propagation(ticket, timeoutMs)), at: machineNow() }),
    head: () => patiently(() => store.head()),
    readers: () => patiently(() => store.readers()),
    stop: async () => {
      await feed.stop();
      await database.close();
      await nats.close();
    },
  };
}
