import { StopDeployment } from '@slipway/contracts';
import { expect } from 'vitest';
import { until } from '../../testing/until.js';
import { aLiar, engine, lie, tellLies } from '../liar.js';
import { anAccount } from '../rig.js';
import { rigTest as it } from '../rig-test.js';

it('false reports are ignored after an election too', async ({ rig }) => {
  const first = await rig.startProcess();
  const agent = rig.startAgent();
  const account = anAccount();
  const ids = [await rig.create(account), await rig.create(account, engine)];
  for (const id of ids) await rig.published(id, 'ready');
  const before = ids.map((id) => rig.gateway.deployment(id));
  first.signal('SIGKILL');
  await first.exited;

  const liar = aLiar(rig);
  liar.lies = ids.map((id) => lie(id, 0));
  const [sent, term] = [agent.assignments.length, agent.assignments.at(-1)!.term];
  await rig.startReplica();
  await until('the new placer speaks', () => (agent.assignments.at(-1)?.term ?? 0) > term && liar.assignments.length > 0);
  await tellLies(liar, ids);
  expect(agent.assignments.slice(sent).every(({ items }) => items.length === 2)).toBe(true);
  expect(liar.assignments.flatMap(({ items }) => items)).toEqual([]);
  expect(ids.map((id) => agent.starts.get(id))).toEqual([1, 1]);
  expect(ids.map((id) => rig.gateway.deployment(id))).toEqual(before);
});

it('a stopping deployment stays so after an election', async ({ rig }) => {
  const first = await rig.startProcess();
  const agent = Object.assign(rig.startAgent(), { drains: true });
  const account = anAccount();
  const id = await rig.create(account);
  await rig.published(id, 'ready');
  await rig.ask(StopDeployment, { account, deployment: id });
  await until('it drains', () => !agent.runs(id));
  first.signal('SIGKILL');
  await first.exited;
  const term = agent.assignments.at(-1)!.term;
  await rig.startReplica();
  await until('the new placer speaks', () => agent.assignments.at(-1)!.term > term);
  // Placed after the first round of the new placer, whose findings are written together.
  await rig.published(await rig.create(account), 'ready');
  expect((await rig.view(account, id)).state).toBe('stopping');
  agent.finish();
  await rig.seen(account, id, 'stopped');
});
