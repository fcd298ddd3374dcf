import {
  type AccountId,
  type DeploymentEvent,
  type DeploymentId,
  FindDeployment,
  ListDeploymentAudit,
  ListDeploymentEvents,
  ScaleDeployment,
  StopDeployment,
  UpdateDeployment,
} from '@slipway/contracts';
import { Client } from 'pg';
import { expect } from 'vitest';
import type { z } from 'zod';
import { until } from '../testing/until.js';
import { keepsLoading } from './fake-agent.js';
import { anAccount, type DeploymentsRig } from './rig.js';
import { rigTest as it } from './rig-test.js';

const actor = { kind: 'ops', address: '192.0.2.7', client: 'a command line' } as const;

const eventsOf = async (rig: DeploymentsRig, account: AccountId, deployment?: DeploymentId): Promise<DeploymentEvent[]> =>
  (await rig.ask(ListDeploymentEvents, { account, ...(deployment !== undefined && { deployment }), limit: 200 })).events;

/** An event in a few words. */
const inWords = ({ kind, state, reason, rev, ready_replicas: ready }: DeploymentEvent): string =>
  [kind, state, reason, rev === null ? null : `rev ${rev}`, ready === null ? null : `${ready} ready`]
    .filter((word) => word !== null)
    .join(' ');

it('events show what happened, and who did it', async ({ rig }) => {
  await rig.startReplica();
  const agents = [rig.startAgent(), rig.startAgent()];
  const account = anAccount();
  const deployment = await rig.create(account, { actor, note: 'the first try' });
  await rig.seen(account, deployment, 'ready');
  await rig.pointAlias(account, 'main', deployment);
  await rig.ask(ScaleDeployment, { account, deployment, replicas: 2, actor });
  await until('two replicas serve', async () => (await rig.view(account, deployment)).ready_replicas === 2);
  await rig.ask(UpdateDeployment, { account, deployment, slots: 8, note: ' more clients ', actor });
  await until('the second revision serves', async () => (await rig.view(account, deployment)).serving_rev === 2);
  const { created_at: created, updated_at: updated } = await rig.view(account, deployment);
  expect(Date.parse(updated!)).toBeGreaterThan(Date.parse(created!));
  agents[1]!.stop();
  await rig.seen(account, deployment, 'degraded', 'no_capacity');
  await rig.ask(StopDeployment, { account, deployment, actor });
  await rig.seen(account, deployment, 'stopped');

  const events = await eventsOf(rig, account, deployment);
  const words = events.map(inWords).reverse();
  const expected = [
    ...['deployment.create rev 1', 'serving rev 1', 'state ready rev 1 1 ready', 'alias.point', 'deployment.scale'],
    ...[
      'deployment.update rev 2',
      'serving rev 2',
      'state degraded no_capacity rev 2 1 ready',
      'deployment.stop',
      'state stopped rev 2 0 ready',
    ],
  ];
  expect(words.filter((word) => expected.includes(word))).toEqual(expected);
  const update = events.find(({ kind }) => kind === 'deployment.update');
  expect(update).toMatchObject({ by: { actor: 'ops', actor_id: null }, facts: { slots: '4 → 8' }, count: 1 });
  expect(JSON.stringify(events)).not.toMatch(/192\.0\.2\.7|command line/);
  expect(await eventsOf(rig, account)).toEqual(events);
  const ids = events.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted((a, b) => b - a));

  const { revisions } = await rig.ask(FindDeployment, { account, deployment });
  expect(revisions).toMatchObject([
    { rev: 2, note: 'more clients', by: { actor: 'ops' } },
    { rev: 1, note: 'the first try', by: { actor: 'ops' } },
  ]);
});

it('equal failures in a row are one event with a count', async ({ rig }) => {
  await rig.startReplica();
  const agent = rig.startAgent({ react: keepsLoading });
  const account = anAccount();
  const deployment = await rig.create(account);
  const failures = async (): Promise<DeploymentEvent[]> =>
    (await eventsOf(rig, account, deployment)).filter(({ state }) => state === 'failed');
  for (const times of [1, 2]) {
    await until('it loads', async () => (await rig.view(account, deployment)).state === 'loading');
    agent.say(deployment, { state: 'failed', reason: 'engine_unreachable', detail: 'Nothing answers.' });
    await until(`it has failed ${times} times`, async () => (await failures())[0]?.count === times);
  }
  const [failure, ...others] = await failures();
  expect(others).toEqual([]);
  if (!failure) return;
  expect(failure).toMatchObject({ reason: 'engine_unreachable', detail: 'Nothing answers.' });
  expect(Date.parse(failure.first_at)).toBeLessThan(Date.parse(failure.at));
  // The state began with the first of them.
  const { since } = await rig.seen(account, deployment, 'failed', 'engine_unreachable');
  expect(Math.abs(Date.parse(since!) - Date.parse(failure.first_at))).toBeLessThan(1_000);
});

it('events come in pages, the newest 500', async ({ rig }) => {
  await rig.startReplica();
  const account = anAccount();
  const [one, other] = [await rig.create(account), await rig.create(account)];
  // The last event that comes by itself.
  for (const id of [one, other]) await rig.seen(account, id, 'pending', 'no_worker');
  for (const alias of ['a', 'b', 'c']) await rig.pointAlias(account, alias, one);
  await rig.pointAlias(account, 'a', other);
  const first = await rig.ask(ListDeploymentEvents, { account, deployment: one, limit: 2 });
  expect(first.events.map(({ facts }) => facts)).toEqual([
    { alias: 'a', deployment: `deployment-${one} → deployment-${other}` },
    { alias: 'c', deployment: `deployment-${one}` },
  ]);
  const rest = await rig.ask(ListDeploymentEvents, { account, deployment: one, before: first.next! });
  expect(rest.events.filter(({ kind }) => kind === 'alias.point').map(({ facts }) => facts['alias'])).toEqual(['b', 'a']);
  expect(rest.next).toBeNull();
  const database = new Client({ connectionString: rig.databaseUrl });
  await database.connect();
  try {
    const filler = `INSERT INTO deployment_event (deployment_id, account, kind) SELECT $1, $2, 'serving' FROM generate_series(1, 600)`;
    await database.query(filler, [one, account]);
    await rig.pointAlias(account, 'd', one);
    const { rows } = await database.query<{ n: number }>('SELECT count(*)::integer AS n FROM deployment_event WHERE deployment_id = $1', [
      one,
    ]);
    expect(rows[0]?.n).toBe(500);
  } finally {
    await database.end();
  }
  await expect(rig.ask(ListDeploymentEvents, { account: anAccount(), deployment: one })).rejects.toMatchObject({
    code: 'deployment_not_found',
  });
});

it('the audit log can be filtered by object and action', async ({ rig }) => {
  await rig.startReplica();
  const account = anAccount();
  const [one, other] = [await rig.create(account, { actor }), await rig.create(account, { actor })];
  await rig.pointAlias(account, 'main', one);
  await rig.ask(ScaleDeployment, { account, deployment: other, replicas: 2, actor });
  const actions = async (filters: Omit<z.input<typeof ListDeploymentAudit.request>, 'account'>): Promise<string[]> =>
    (await rig.ask(ListDeploymentAudit, { account, ...filters })).entries.map(({ action }) => action);
  expect(await actions({ object: `deployment:${other}` })).toEqual(['deployment.scale', 'deployment.create']);
  expect(await actions({ action: 'alias' })).toEqual(['alias.point']);
  expect(await actions({ action: 'deployment.scale' })).toEqual(['deployment.scale']);
  expect(await actions({ by: { kind: 'user' } })).toEqual([]);
  expect(await actions({ to: '2020-01-01T00:00:00Z' })).toEqual([]);
});
