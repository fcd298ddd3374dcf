import { expect } from 'vitest';
import { until } from '../testing/until.js';
import { rigTest as it } from './rig-test.js';

it('a replica waits for its database at start', async ({ rig }) => {
  rig.database.cut();
  const replica = rig.spawnReplica();
  await until('it says that it waits', () => replica.output.includes('database.waiting'));
  expect(await replica.readiness()).toMatchObject({ status: 503 });
  rig.database.heal();
  await until('it is ready', async () => (await replica.readiness()).status === 200);
});

it('a waiting replica stops at once on a signal', async ({ rig }) => {
  rig.database.cut();
  const replica = rig.spawnReplica();
  await until('it says that it waits', () => replica.output.includes('database.waiting'));
  replica.signal('SIGTERM');
  expect(await replica.exited).toBe(0);
});

it('wrong settings are named without their values', async ({ rig }) => {
  const replica = rig.spawnReplica({ SLIPWAY_SECRET_KEY: 'not-a-key', MODEL_DIRS: 'relative', ENGINE_HOSTS: 'http://x' });
  expect(await replica.exited).not.toBe(0);
  for (const name of ['SLIPWAY_SECRET_KEY', 'MODEL_DIRS', 'ENGINE_HOSTS']) expect(replica.output).toContain(name);
  expect(replica.output).not.toContain('not-a-key');
});
