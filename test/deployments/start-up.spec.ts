import { expect } from 'vitest';
import { until } from '../testing/until.js';
import { rigTest as it } from './rig-test.js';

it('a replica waits for its database at start', async ({ rig }) => {
  const database = await rig.breakableDatabase();
  database.cut();
  const replica = rig.spawnReplica();
  await until('it says that it waits', () => replica.output.includes('database.waiting'));
  expect(await replica.readiness()).toMatchObject({ status: 503 });
  database.heal();
  await until('it is ready', async () => (await replica.readiness()).status === 200);
});

it('a waiting replica stops at once on a signal', async ({ rig }) => {
  const database = await rig.breakableDatabase();
  database.cut();
  const replica = rig.spawnReplica();
  await until('it says that it waits', () => replica.output.includes('database.waiting'));
  replica.signal('SIGTERM');
  expect(await replica.exited).toBe(0);
});
