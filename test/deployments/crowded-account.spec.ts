import { CreateDeployment, isServiceError, ListDeployments, StopDeployment } from '@slipway/contracts';
import { Client } from 'pg';
import { expect } from 'vitest';
import { until } from '../testing/until.js';
import { aModel, anAccount } from './rig.js';
import { rigTest as it } from './rig-test.js';

/** More than the service has connections, and no more than may wait. */
const AT_ONCE = 60;
/** Calls that each of them makes at most: enough for a minute. */
const CALLS_MAX = 100;

/** Connections of this database that wait for a lock. */
const WAITING = `SELECT count(*)::integer AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

it('a crowded account delays no other', async ({ rig }) => {
  await rig.startReplica();
  rig.startAgent();
  const [crowd, other] = [anAccount(), anAccount()];
  const own = await rig.create(other);
  await rig.published(own, 'ready');

  // Whatever the account adds waits for this lock.
  const holder = new Client({ connectionString: rig.databaseUrl });
  await holder.connect();
  const waiting = async (): Promise<number> => {
    const { rows } = await holder.query<{ n: number }>(WAITING);
    return rows[0]?.n ?? 0;
  };
  const counts: number[] = [];
  let isOver = false;
  const codes = new Set<string>();
  const askOn = async (): Promise<void> => {
    for (let n = 0; n < CALLS_MAX && !isOver; n += 1) {
      const code = await rig.rpc.call({ ...CreateDeployment, timeoutMs: 30_000 }, aModel(crowd)).then(() => 'done', codeOf);
      if (!isOver) codes.add(code);
    }
  };
  let asking: Promise<unknown> = Promise.resolve();
  try {
    await holder.query(`SELECT pg_advisory_lock(hashtextextended($1, 0))`, [`quota:${crowd}`]);
    asking = Promise.all(Array.from({ length: AT_ONCE }, askOn));
    await until('one of them waits', async () => (await waiting()) > 0);
    for (let n = 0; n < 20; n += 1) {
      await rig.ask(ListDeployments, { account: other });
      counts.push(await waiting());
    }
    await rig.published(await rig.create(other), 'ready');
    await rig.ask(StopDeployment, { account: other, deployment: own });
    await rig.published(own, 'stopped');
  } finally {
    isOver = true;
    await holder.end();
    await asking;
  }
  expect(Math.max(...counts)).toBeLessThanOrEqual(1);
  expect([...codes].filter((code) => code !== 'unavailable')).toEqual([]);
  // It is not locked out either.
  await rig.published(await rig.create(crowd), 'ready');
});

const codeOf = (error: unknown): string => (isServiceError(error) ? error.code : String(error));
