import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { anAccount, DeploymentsRig, type Replica } from './rig.js';
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

const electedTerm = (replica: Replica): number => Number(/"term":(\d+),"event":"placement.elected"/.exec(replica.output())?.[1] ?? 0);

/** The one that places, and the one that stands by. */
async function twoReplicas(): Promise<{ placer: Replica; standby: Replica }> {
  const replicas = await Promise.all([rig.startReplica(), rig.startReplica()]);
  const placer = await until('one is elected', () => replicas.find((replica) => electedTerm(replica) > 0));
  return { placer, standby: replicas.find((replica) => replica !== placer)! };
}

it('of two replicas one places; when it is killed the other follows with a higher term, and nothing moves', async () => {
  const { placer, standby } = await twoReplicas();
  const agents = [rig.startAgent(), rig.startAgent()];
  const account = anAccount();
  const ids = [];
  for (let i = 0; i < 4; i += 1) ids.push(await rig.create(account));
  for (const id of ids) await rig.heard(id, 'ready');
  const [term] = [electedTerm(placer)];
  expect(electedTerm(standby)).toBe(0);
  const terms = (): Set<number> => new Set(agents.flatMap((agent) => agent.assignments.map((assignment) => assignment.term)));
  expect(terms()).toEqual(new Set([term]));

  placer.child.kill('SIGKILL');
  await placer.exited;
  const later = await rig.create(account);
  await until('the other one is elected', () => electedTerm(standby) > term);
  await rig.heard(later, 'ready');
  expect(terms()).toEqual(new Set([term, electedTerm(standby)]));
  for (const id of ids) expect(agents.reduce((starts, agent) => starts + (agent.starts.get(id) ?? 0), 0)).toBe(1);
});

it('a placer that froze and wakes is overruled: it steps down, and writes no more', async () => {
  const { placer, standby } = await twoReplicas();
  const agent = rig.startAgent();
  const account = anAccount();
  const id = await rig.create(account);
  await rig.heard(id, 'ready');

  placer.child.kill('SIGSTOP');
  try {
    await until('the other one is elected', () => electedTerm(standby) > 0);
    await until('the agent follows it', () => agent.assignments.at(-1)?.term === electedTerm(standby));
  } finally {
    placer.child.kill('SIGCONT');
  }
  await until('the old one steps down', () => placer.output().includes('placement.stepped_down'));
  const newest = Math.max(...agent.assignments.map(({ term }) => term));
  const told = agent.assignments.length;
  await until('two further rounds', () => agent.assignments.length >= told + 2);
  expect(agent.assignments.slice(told).map(({ term }) => term)).toEqual([newest, newest]);
  expect(agent.starts.get(id)).toBe(1);
  expect((await rig.view(account, id)).state).toBe('ready');
});

it('SIGTERM ends a replica in order, and the other places at once', async () => {
  const { placer, standby } = await twoReplicas();
  placer.child.kill('SIGTERM');
  expect(await placer.exited).toBe(0);
  await until('the other one is elected', () => electedTerm(standby) > 0, 3_000);
});
