import { DeploymentId, ListDeployments, ListModels } from '@slipway/contracts';
import { allDeployments, allModels, type RpcClient } from '@slipway/platform';
import { Client } from 'pg';
import { expect } from 'vitest';
import { anAccount, type DeploymentsRig } from './rig.js';
import { rigTest as it } from './rig-test.js';

const COUNT = 1_000;
const MESSAGE_BYTES = 1_048_576;

/** Makes stopped deployments with names as long as they may be and paths of `chars` characters, past every quota. */
async function insertMany(rig: DeploymentsRig, account: number, chars: number): Promise<DeploymentId[]> {
  const client = new Client({ connectionString: rig.databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: number }>(
      `INSERT INTO deployment (account, name, desired, state, rev, replicas)
       SELECT $1, repeat('🙂', 50), 'stopped', 'stopped', 1, 1 FROM generate_series(1, $2) RETURNING id`,
      [account, COUNT],
    );
    await client.query(
      `INSERT INTO revision (deployment_id, number, source, slots)
       SELECT id, 1, jsonb_build_object('kind', 'file', 'path', '/m/' || repeat('ü', $2) || id || '/same.gguf'), 4
       FROM deployment WHERE account = $1`,
      [account, chars],
    );
    return rows.map(({ id }) => DeploymentId.parse(id));
  } finally {
    await client.end();
  }
}

it('long lists arrive complete in pages', async ({ rig }) => {
  await rig.startReplica();
  const patient: Pick<RpcClient, 'call'> = { call: (contract, request) => rig.ask(contract, request) };
  const account = anAccount();
  const ids = await insertMany(rig, account, 2_000);
  const first = await rig.ask(ListDeployments, { account });
  expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThan(MESSAGE_BYTES);
  // Who knows no pages gets as many as one message holds.
  expect(first.deployments.map(({ id }) => id)).toEqual(ids.slice(0, first.deployments.length));
  expect(first.deployments.length).toBeGreaterThan(150);
  expect(first.next).toBe(first.deployments.at(-1)?.id);
  const { deployments } = await allDeployments(patient, account);
  expect(deployments.map(({ id }) => id)).toEqual(ids);

  const { models, truncated } = await allModels(patient, account);
  expect(truncated).toBe(false);
  const own = models.filter(({ name }) => name === 'same.gguf');
  expect(own.flatMap((model) => model.deployments).toSorted((a, b) => a - b)).toEqual(ids);
  expect((await rig.ask(ListModels, { account })).next).toMatchObject({ kind: 'file' });
  expect(await rig.ask(ListDeployments, { account: anAccount() })).toEqual({ deployments: [], next: null });
});

it('a thousand usual deployments fit one message', async ({ rig }) => {
  await rig.startReplica();
  const account = anAccount();
  const ids = await insertMany(rig, account, 30);
  const { deployments, next } = await rig.ask(ListDeployments, { account });
  expect([deployments.map(({ id }) => id), next]).toEqual([ids, null]);
});
