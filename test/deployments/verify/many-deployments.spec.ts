import { SecretVault } from '@slipway/platform';
import { Client } from 'pg';
import { describe, expect } from 'vitest';
import { until } from '../../testing/until.js';
import { anAccount, type DeploymentsRig, ENGINE_HOST, SECRET_KEY } from '../rig.js';
import { rigTest as it } from '../rig-test.js';

const engine = (path: string) => ({ source: { kind: 'http', url: `http://${ENGINE_HOST}/${path}`, model: 'm' } });

/** Makes deployments with the longest addresses, credentials and most replicas that are allowed, past every quota. */
async function insertMany(rig: DeploymentsRig, account: number, count: number): Promise<number[]> {
  const credential = new SecretVault(SECRET_KEY).seal('s'.repeat(4_000), `account:${account}`);
  const client = new Client({ connectionString: rig.databaseUrl });
  await client.connect();
  try {
    const made = await client.query<{ id: number }>(
      `INSERT INTO deployment (account, name, desired, rev, replicas) SELECT $1, 'one of many', 'ready', 1, 64 FROM generate_series(1, $2) RETURNING id`,
      [account, count],
    );
    await client.query(
      `INSERT INTO revision (deployment_id, number, source, credential, slots)
       SELECT id, 1, jsonb_build_object('kind', 'http', 'model', 'm', 'url', $2::text || id), $3, 4 FROM deployment WHERE account = $1`,
      [account, `http://${ENGINE_HOST}/${'p'.repeat(1_900)}`, credential],
    );
    return made.rows.map(({ id }) => id);
  } finally {
    await client.end();
  }
}

describe('an account with very many deployments', () => {
  it('delays no other placement and arrives complete', async ({ rig }) => {
    await rig.startReplica();
    const agents = [rig.startAgent(), rig.startAgent()];
    const [many, other] = [anAccount(), anAccount()];
    const before = await rig.create(other, engine('v1'));
    await rig.published(before, 'ready');

    const ids = await insertMany(rig, many, 190);
    await until('every agent has all of them', () => agents.every((agent) => ids.every((id) => agent.runs(id))), 60_000);
    expect(agents[0]!.secretOf(agents[0]!.items.find(({ dep }) => dep === ids[0])!)).toBe('s'.repeat(4_000));

    const after = await rig.create(other, engine('v1'));
    await until('the other account’s new one is ready', () => rig.gateway.deployment(after)?.state === 'ready', 60_000);
    // Workers that start anew, as in an upgrade, get everything too.
    for (const agent of agents) agent.stop();
    const fresh = rig.startAgent();
    await until('the new worker has all of them', () => [...ids, before, after].every((id) => fresh.runs(id)), 60_000);
  }, 180_000);
});

describe('a deployment with a credential', () => {
  it('is never sent unsealed by default', async ({ rig }) => {
    await rig.startReplica();
    const old = rig.startAgent({ old: true });
    const account = anAccount();
    const secret = await rig.create(account, { ...engine('v1'), credential: 'sk-1' });
    const open = await rig.create(account, engine('v1'));
    await rig.published(open, 'ready');
    expect((await rig.seen(account, secret, 'pending', 'no_worker')).detail).toContain('sealed');
    expect(old.runs(secret)).toBe(false);

    const fresh = rig.startAgent();
    await rig.published(secret, 'ready');
    expect(fresh.runs(secret)).toBe(true);
    expect(old.runs(secret)).toBe(false);
  });

  it('is sent unsealed to old workers if allowed', async ({ rig }) => {
    await rig.startReplica({ SEND_CLEAR_CREDENTIALS: 'to-old-workers' });
    const old = rig.startAgent({ old: true });
    const id = await rig.create(anAccount(), { ...engine('v1'), credential: 'sk-1' });
    await rig.published(id, 'ready');
    expect(old.items.find(({ dep }) => dep === id)).toMatchObject({ credential: 'sk-1' });
  });
});
