import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { DeploymentsRig } from './rig.js';
import { until } from './until.js';

let postgres: TestPostgres;
let rig: DeploymentsRig;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  rig = await DeploymentsRig.open(postgres);
});
afterEach(() => rig.close());

it('a replica waits for its database at start, says so, and serves once it is there', async () => {
  rig.database.cut();
  const replica = rig.spawnReplica();
  await until('it says that it waits', () => replica.output().includes('database.waiting'));
  expect(await replica.readyz()).toMatchObject({ status: 503 });
  rig.database.heal();
  await until('it is ready', async () => (await replica.readyz()).status === 200);
});

it('a replica that waits for its database ends at once when it is told to', async () => {
  rig.database.cut();
  const replica = rig.spawnReplica();
  await until('it says that it waits', () => replica.output().includes('database.waiting'));
  replica.child.kill('SIGTERM');
  expect(await replica.exited).toBe(0);
});

it('wrong settings end the process with their names and without their values', async () => {
  const replica = rig.spawnReplica({ SLIPWAY_SECRET_KEY: 'not-a-key', MODEL_DIRS: 'relative', ENGINE_HOSTS: 'http://x' });
  expect(await replica.exited).not.toBe(0);
  for (const name of ['SLIPWAY_SECRET_KEY', 'MODEL_DIRS', 'ENGINE_HOSTS']) expect(replica.output()).toContain(name);
  expect(replica.output()).not.toContain('not-a-key');
});
