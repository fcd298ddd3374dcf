import { DrainWorker, ListConnectedWorkers, ReadDeploymentAudit, type ReplicaLeft } from '@slipway/contracts';
import { describe, expect } from 'vitest';
import { until } from '../testing/until.js';
import type { FakeAgent } from './fake-agent.js';
import { anAccount, type DeploymentsRig } from './rig.js';
import { rigTest as it } from './rig-test.js';

const actor = { kind: 'ops', client: 'test' } as const;

const drain = (rig: DeploymentsRig, { wk }: FakeAgent, on = true) => rig.ask(DrainWorker, { wk, drain: on, actor });

async function listed(rig: DeploymentsRig, { wk }: FakeAgent) {
  const { workers } = await rig.ask(ListConnectedWorkers, {});
  return workers.find((worker) => worker.wk === wk);
}

/** An agent that the one replica has heard. */
async function connected(rig: DeploymentsRig): Promise<FakeAgent> {
  const agent = rig.startAgent();
  await until('the service has heard it', () => listed(rig, agent));
  return agent;
}

describe.concurrent('a drained worker', () => {
  it('gives up its replica once another has it ready', async ({ rig }) => {
    await rig.startReplica();
    const a = rig.startAgent();
    const account = anAccount();
    const id = await rig.create(account);
    await rig.published(id, 'ready');
    expect(await listed(rig, a)).toMatchObject({ state: 'active', drained_since: null, loads: 1, deployments: [id] });

    const { worker } = await drain(rig, a);
    expect(worker).toMatchObject({ wk: a.wk, state: 'draining', loads: 1 });
    expect(worker.drained_since).not.toBeNull();
    // The term reaches the agent with each repetition: two of them are rounds of the placer with the drain known.
    const seen = a.terms.length;
    await until('the placer repeats the assignment', () => a.terms.length > seen + 1);
    expect(a.runs(id)).toBe(true);

    const b = rig.startAgent({ react: () => ({ state: 'loading', progress: 0.5 }) });
    await until('the other agent loads it', () => b.runs(id));
    expect(a.runs(id)).toBe(true);
    a.drains = true;
    b.say(id, { state: 'ready', progress: null, context: 2_048, caps: ['tools'] });
    await until('the drained agent lets go', () => !a.runs(id));
    expect(await listed(rig, a)).toMatchObject({ state: 'draining', loads: 1 });
    a.finish();
    await until('it is empty', async () => (await listed(rig, a))?.state === 'drained');
    const states = rig.gateway.states.get(id) ?? [];
    expect(states.slice(states.indexOf('ready'))).toEqual(['ready']);
  });

  it('takes replicas again after the drain is undone', async ({ rig }) => {
    await rig.startReplica();
    const a = await connected(rig);
    await drain(rig, a);
    await drain(rig, a);
    const account = anAccount();
    const id = await rig.create(account);
    const { detail } = await rig.seen(account, id, 'pending', 'no_worker');
    expect(detail).toBe('Every worker that could run it is being drained.');

    await drain(rig, a, false);
    await rig.published(id, 'ready');
    expect(a.runs(id)).toBe(true);
    const { entries } = await rig.ask(ReadDeploymentAudit, { after: 0 });
    const actions = entries.map(({ text }) => (JSON.parse(text ?? '[]') as unknown[])[3]);
    expect(actions.filter((action) => String(action).startsWith('worker.'))).toEqual(['worker.drain', 'worker.undrain']);
  });

  it('stays drained when another replica takes over', async ({ rig }) => {
    const first = await rig.startReplica();
    const [a, b] = [await connected(rig), rig.startAgent()];
    await drain(rig, a);
    await rig.startReplica();
    await first.end();
    const id = await rig.create(anAccount());
    await rig.published(id, 'ready');
    expect([a.runs(id), b.runs(id)]).toEqual([false, true]);
    expect(await listed(rig, a)).toMatchObject({ state: 'drained' });
  });

  it('says what its replicas wait for', async ({ rig }) => {
    await rig.startReplica();
    await rig.startReplica();
    const a = rig.startAgent();
    const id = await rig.create(anAccount());
    await rig.published(id, 'ready');
    await drain(rig, a);
    const waits = (reason: ReplicaLeft['reason'], detail: RegExp) =>
      until(`it waits with ${reason}`, async () => {
        const [left] = (await listed(rig, a))?.left ?? [];
        return left?.dep === id && left.reason === reason && detail.test(left.detail);
      });
    await waits('no_worker', /Every worker that could run it is being drained/);

    const b = rig.startAgent();
    b.facts = { mem_free: 0 };
    b.react = () => ({ state: 'failed', reason: 'out_of_memory', detail: 'It needs more.' });
    await waits('no_capacity', /A replica needs about .* GiB of memory; the most that a worker has free is 0\.0 GiB/);
    b.facts = {};
    await waits('failed', /^Other workers tried to load it (once|\d times) and failed\. It needs more\.$/);
    b.react = () => ({ state: 'loading', progress: 0.5 });
    await waits('loading', new RegExp(`^Worker ${b.wk} loads it: 50 %\\.$`));
    a.drains = true;
    b.say(id, { state: 'ready', progress: null, context: 2_048, caps: ['tools'] });
    await waits('ending', /It gets no new request/);
  });

  it('must be connected', async ({ rig }) => {
    await rig.startReplica();
    await expect(drain(rig, { wk: 'nowhere' } as FakeAgent)).rejects.toMatchObject({ code: 'not_found' });
  });
});
