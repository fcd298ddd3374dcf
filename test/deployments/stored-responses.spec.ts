import { CreateDeployment, ListDeploymentAudit, UpdateDeployment } from '@slipway/contracts';
import { Client } from 'pg';
import { expect } from 'vitest';
import { until } from '../testing/until.js';
import { anAccount, MODEL } from './rig.js';
import { rigTest as it } from './rig-test.js';

const source = { kind: 'file', path: MODEL } as const;

it('storing responses is switched without a new revision', async ({ rig }) => {
  await rig.startReplica();
  rig.startAgent();
  const account = anAccount();
  const deployment = await rig.create(account);
  await rig.published(deployment, 'ready');
  const stores = (expected: boolean): Promise<boolean> =>
    until(`gateways see ${expected}`, () => (rig.gateway.deployment(deployment)?.store ?? false) === expected);
  await stores(false);
  expect(await rig.view(account, deployment)).toMatchObject({ store_responses: false });

  const set = (store_responses: boolean, rest: object = {}) => rig.ask(UpdateDeployment, { account, deployment, store_responses, ...rest });
  expect(await set(true)).toEqual({ deployment, rev: 1, changed: false, state: 'ready' });
  await stores(true);
  expect(await rig.view(account, deployment)).toMatchObject({ store_responses: true, rev: 1 });
  expect(await set(true)).toMatchObject({ changed: false });
  expect(await set(false, { slots: 3 })).toMatchObject({ rev: 2, changed: true });
  await stores(false);
  const { entries } = await rig.ask(ListDeploymentAudit, { account });
  expect(entries.map(({ facts }) => facts['store_responses'] ?? null)).toEqual(['on → off', 'off → on', null]);
});

it('a deployment that is to store responses does so from the start', async ({ rig }) => {
  await rig.startReplica();
  rig.startAgent();
  const account = anAccount();
  const { id } = await rig.ask(CreateDeployment, { account, name: 'remembers', source, store_responses: true });
  expect(await rig.published(id, 'ready')).toMatchObject({ store: true });
  const { entries } = await rig.ask(ListDeploymentAudit, { account });
  expect(entries[0]?.facts).toMatchObject({ store_responses: 'on' });
});

it('rows of the release before store nothing', async ({ rig }) => {
  await rig.startReplica();
  const account = anAccount();
  const database = new Client({ connectionString: rig.databaseUrl });
  await database.connect();
  const insert = `INSERT INTO deployment (account, name, replicas, desired, rev) VALUES ($1, 'old', 1, 'stopped', 1) RETURNING id`;
  const { rows } = await database.query<{ id: number }>(insert, [account]);
  const [row] = rows;
  await database.query(`INSERT INTO revision (deployment_id, number, source, slots) VALUES ($1, 1, $2, 4)`, [row?.id, source]);
  await database.end();
  expect((await rig.list(account))[0]).toMatchObject({ name: 'old', store_responses: false });
});
