import { expect } from 'vitest';
import type { ServiceProcess } from '../../services/service-process.js';
import { until } from '../../testing/until.js';
import { anAccount, type DeploymentsRig } from '../rig.js';
import { rigTest as it } from '../rig-test.js';

const electedTerm = (replica: ServiceProcess): number => Number(/"term":(\d+),"event":"placement.elected"/.exec(replica.output)?.[1] ?? 0);

/** The one that places, and the one that stands by. */
async function twoReplicas(rig: DeploymentsRig): Promise<{ placer: ServiceProcess; standby: ServiceProcess }> {
  const replicas = await Promise.all([rig.startProcess(), rig.startProcess()]);
  const placer = await until('one is elected', () => replicas.find((replica) => electedTerm(replica) > 0));
  return { placer, standby: replicas.find((replica) => replica !== placer)! };
}

it('a killed placer is replaced without moves', async ({ rig }) => {
  const { placer, standby } = await twoReplicas(rig);
  const agents = [rig.startAgent(), rig.startAgent()];
  const account = anAccount();
  const ids = [];
  for (let i = 0; i < 4; i += 1) ids.push(await rig.create(account));
  for (const id of ids) await rig.published(id, 'ready');
  const [term] = [electedTerm(placer)];
  expect(electedTerm(standby)).toBe(0);
  const terms = (): Set<number> => new Set(agents.flatMap((agent) => agent.assignments.map((assignment) => assignment.term)));
  expect(terms()).toEqual(new Set([term]));

  placer.signal('SIGKILL');
  await placer.exited;
  const later = await rig.create(account);
  await until('the other one is elected', () => electedTerm(standby) > term);
  await rig.published(later, 'ready');
  expect(terms()).toEqual(new Set([term, electedTerm(standby)]));
  for (const id of ids) expect(agents.reduce((starts, agent) => starts + (agent.starts.get(id) ?? 0), 0)).toBe(1);
});

it('a frozen placer steps down when it wakes', async ({ rig }) => {
  const { placer, standby } = await twoReplicas(rig);
  const agent = rig.startAgent();
  const account = anAccount();
  const id = await rig.create(account);
  await rig.published(id, 'ready');

  placer.signal('SIGSTOP');
  try {
    await until('the other one is elected', () => electedTerm(standby) > 0);
    await until('the agent follows it', () => agent.assignments.at(-1)?.term === electedTerm(standby));
  } finally {
    placer.signal('SIGCONT');
  }
  await until('the old one steps down', () => placer.output.includes('placement.stepped_down'));
  const newest = Math.max(...agent.assignments.map(({ term }) => term));
  const before = agent.terms.length;
  await until('two further rounds', () => agent.terms.length >= before + 2);
  expect(new Set(agent.terms.slice(before))).toEqual(new Set([newest]));
  expect(agent.starts.get(id)).toBe(1);
  expect((await rig.view(account, id)).state).toBe('ready');
});

it('SIGTERM hands placement to the other replica', async ({ rig }) => {
  const { placer, standby } = await twoReplicas(rig);
  placer.signal('SIGTERM');
  expect(await placer.exited).toBe(0);
  await until('the other one is elected', () => electedTerm(standby) > 0, 3_000);
});
