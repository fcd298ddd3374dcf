import { type AgentLoad, FindDeployment, Incarnation, ListModels, StopDeployment } from '@slipway/contracts';
import { expect } from 'vitest';
import { until } from '../testing/until.js';
import { anAccount, type DeploymentsRig, ENGINE_HOST } from './rig.js';
import { type FakeAgent, keepsLoading } from './fake-agent.js';
import { rigTest as it } from './rig-test.js';

const engine = { source: { kind: 'http', url: `http://${ENGINE_HOST}/v1`, model: 'm' }, credential: 'sk-of-the-owner', replicas: 1 };

/** Whatever deployment it names: one lie each, in turn. */
const LIES: readonly Partial<AgentLoad>[] = [
  { state: 'ready', caps: [], context: 1 },
  { state: 'failed', reason: 'model_invalid', detail: 'a lie' },
  { state: 'loading', progress: 0.99 },
  { state: 'draining' },
];
const lie = (dep: number, n: number): AgentLoad => ({
  ...{ dep: dep as AgentLoad['dep'], rev: 1, state: 'ready', progress: null, reason: null, detail: null, pid: 1, context: null, caps: [] },
  ...LIES[n % LIES.length],
});

/**
 * Its name comes before all others; it has no room, so that nothing is given to it in order, and confirms nothing, so that
 * the placer goes on speaking to it.
 */
const aLiar = (rig: DeploymentsRig): FakeAgent =>
  rig.startAgent({ wk: Incarnation.parse('0x'), facts: { host: 'liar', mem_free: 0, engines: ['llama'], assigned: null } });

/** Reports the deployments in every state, each until the placer has seen it. */
async function tellLies(liar: FakeAgent, deployments: readonly number[]): Promise<void> {
  for (let turn = 0; turn < LIES.length; turn += 1) {
    liar.lies = deployments.map((dep, index) => lie(dep, turn + index));
    const heard = liar.assignments.length;
    liar.beat();
    await until('the placer spoke to it again', () => liar.assignments.length > heard);
  }
  const heard = liar.assignments.length;
  await until('what came of it is written', () => liar.assignments.length > heard);
}

it('an agent’s reports of unassigned deployments are ignored', async ({ rig }) => {
  await rig.startReplica();
  const agent = rig.startAgent();
  const account = anAccount();
  const [model, http, stopped] = [await rig.create(account), await rig.create(account, engine), await rig.create(account)];
  for (const id of [model, http, stopped]) await rig.heard(id, 'ready');
  agent.react = keepsLoading;
  const loading = await rig.create(account);
  await rig.heard(loading, 'loading');
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

it('they are ignored after an election too', async ({ rig }) => {
  const first = await rig.startProcess();
  const agent = rig.startAgent();
  const account = anAccount();
  const ids = [await rig.create(account), await rig.create(account, engine)];
  for (const id of ids) await rig.heard(id, 'ready');
  const before = ids.map((id) => rig.gateway.deployment(id));
  first.signal('SIGKILL');
  await first.exited;

  const liar = aLiar(rig);
  liar.lies = ids.map((id) => lie(id, 0));
  const [told, term] = [agent.assignments.length, agent.assignments.at(-1)!.term];
  await rig.startReplica();
  await until('the new placer speaks', () => (agent.assignments.at(-1)?.term ?? 0) > term && liar.assignments.length > 0);
  await tellLies(liar, ids);
  expect(agent.assignments.slice(told).every(({ items }) => items.length === 2)).toBe(true);
  expect(liar.assignments.flatMap(({ items }) => items)).toEqual([]);
  expect(ids.map((id) => agent.starts.get(id))).toEqual([1, 1]);
  expect(ids.map((id) => rig.gateway.deployment(id))).toEqual(before);
});

it('a stopping deployment stays so after an election', async ({ rig }) => {
  const first = await rig.startProcess();
  const agent = Object.assign(rig.startAgent(), { drains: true });
  const account = anAccount();
  const id = await rig.create(account);
  await rig.heard(id, 'ready');
  await rig.ask(StopDeployment, { account, deployment: id });
  await until('it drains', () => !agent.runs(id));
  first.signal('SIGKILL');
  await first.exited;
  const term = agent.assignments.at(-1)!.term;
  await rig.startReplica();
  await until('the new placer speaks', () => agent.assignments.at(-1)!.term > term);
  // Placed after the first round of the new placer, whose findings are written together.
  await rig.heard(await rig.create(account), 'ready');
  expect((await rig.view(account, id)).state).toBe('stopping');
  agent.finish();
  await rig.seen(account, id, 'stopped');
});
