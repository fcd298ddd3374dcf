import { FindDeployment, ListModels, StopDeployment } from '@slipway/contracts';
import { expect } from 'vitest';
import { until } from '../testing/until.js';
import { aLiar, engine, tellLies } from './liar.js';
import { anAccount } from './rig.js';
import { keepsLoading } from './fake-agent.js';
import { rigTest as it } from './rig-test.js';

it('an agent’s reports of unassigned deployments are ignored', async ({ rig }) => {
  await rig.startReplica();
  const agent = rig.startAgent();
  const account = anAccount();
  const [model, http, stopped] = [await rig.create(account), await rig.create(account, engine), await rig.create(account)];
  for (const id of [model, http, stopped]) await rig.published(id, 'ready');
  agent.react = keepsLoading;
  const loading = await rig.create(account);
  await rig.published(loading, 'loading');
  await rig.ask(StopDeployment, { account, deployment: stopped });
  await rig.seen(account, stopped, 'stopped');
  await until('gateways hear that it has no agent', () => rig.gateway.deployment(stopped)?.agents?.length === 0);

  const ids = [model, http, stopped, loading];
  const facts = () => ids.map((id) => rig.gateway.deployment(id));
  const views = () =>
    Promise.all([rig.ask(ListModels, { account }), ...ids.map((deployment) => rig.ask(FindDeployment, { account, deployment }))]);
  const before = { facts: facts(), views: await views(), items: agent.items };
  expect(before.facts.map((record) => record?.agents)).toEqual([[agent.wk], [agent.wk], [], [agent.wk]]);
  const liar = aLiar(rig);
  await tellLies(liar, ids);
  expect({ facts: facts(), views: await views(), items: agent.items }).toEqual(before);
  expect(liar.assignments.flatMap(({ items }) => items)).toEqual([]);
  expect(ids.map((id) => agent.starts.get(id))).toEqual([1, 1, 1, 1]);
});
