import { CreateDeployment, ListDeployments } from '@slipway/contracts';
import { expect } from 'vitest';
import { until } from '../../testing/until.js';
import { aModel, anAccount } from '../rig.js';
import { rigTest as it } from '../rig-test.js';

it.for(['cut', 'hang'] as const)('without a database (%s) requests are refused and agents keep their work', async (how, { rig }) => {
  const database = await rig.breakableDatabase();
  const replica = await rig.startReplica();
  const [a, b] = [rig.startAgent(), rig.startAgent()];
  const account = anAccount();
  const id = await rig.create(account);
  await rig.published(id, 'ready');
  const [holder, other] = a.runs(id) ? [a, b] : [b, a];

  database[how]();
  const askedAt = performance.now();
  await expect(rig.rpc.call(ListDeployments, { account })).rejects.toMatchObject({ code: 'unavailable' });
  await expect(rig.rpc.call(CreateDeployment, aModel(account))).rejects.toMatchObject({ code: 'unavailable' });
  expect(performance.now() - askedAt).toBeLessThan(10_000);
  await until('it is not ready', async () => (await replica.readiness()).text.includes('database'));

  const before = holder.terms.length;
  await until('assignments are repeated from memory', () => holder.terms.length >= before + 2);
  expect(holder.runs(id)).toBe(true);

  // An agent that is lost meanwhile is replaced too: deciding needs no database.
  holder.stop();
  await until('the other agent takes over', () => other.runs(id));

  database.heal();
  await until('it is ready', async () => (await replica.readiness()).status === 200);
  const next = await rig.create(account);
  await rig.published(next, 'ready');
  await rig.published(id, 'ready');
  await until('gateways rely on the feed again', () => rig.gatewayIsFresh());
  expect(other.starts.get(id)).toBe(1);
});

it('a restart of nats-server moves no deployment', async ({ rig }) => {
  await rig.startReplica();
  const agents = [rig.startAgent(), rig.startAgent()];
  const account = anAccount();
  const ids = [await rig.create(account), await rig.create(account)];
  for (const id of ids) await rig.published(id, 'ready');
  const before = agents.map((agent) => agent.terms.length);
  await rig.nats.restart();
  await until('assignments flow again', () => agents.every((agent, i) => agent.terms.length >= before[i]! + 2));
  for (const id of ids) expect(agents.reduce((starts, agent) => starts + (agent.starts.get(id) ?? 0), 0)).toBe(1);
  expect((await rig.list(account)).map(({ state }) => state)).toEqual(['ready', 'ready']);
});
