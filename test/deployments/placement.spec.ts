import { FindDeployment, ResumeDeployment } from '@slipway/contracts';
import { describe, expect } from 'vitest';
import { until } from '../testing/until.js';
import { becomes, keepsLoading, type Reaction } from './fake-agent.js';
import { anAccount, ENGINE_HOST, MODEL } from './rig.js';
import { rigTest as it } from './rig-test.js';

const engine = { source: { kind: 'http', url: `http://${ENGINE_HOST}/v1`, model: 'm' } };

// Most of the time of these is waiting for what the service does by the clock.
describe.concurrent('a new deployment', () => {
  it('is ready once its agent reports it', async ({ rig }) => {
    await rig.startReplica();
    const agent = rig.startAgent({ react: keepsLoading });
    const account = anAccount();
    const id = await rig.create(account, { context: 512, slots: 2, default_max_tokens: 100 });

    await until('the assignment arrives', () => agent.runs(id));
    expect(agent.items).toEqual([
      { dep: id, account, rev: 1, source: { kind: 'file', path: MODEL }, context: 512, slots: 2, threads: 2, default_max_tokens: 100 },
    ]);
    expect(agent.assignments.at(-1)?.term).toBeGreaterThan(0);
    expect(await rig.seen(account, id, 'loading')).toMatchObject({ progress: 0.25, ready_replicas: 0, desired: 'ready', rev: 1 });
    await rig.published(id, 'loading');

    agent.say(id, { state: 'ready', progress: null, context: 2_048, caps: ['tools'] });
    expect(await rig.published(id, 'ready')).toEqual({
      type: 'deployment',
      id,
      account,
      desired: 'ready',
      state: 'ready',
      rev: 1,
      caps: ['tools'],
      context: 2_048,
      agents: [agent.wk],
    });
    expect(await rig.view(account, id)).toMatchObject({ state: 'ready', reason: null, progress: null, replicas: 1, ready_replicas: 1 });
    expect(rig.gateway.states.get(id)).toEqual(['pending', 'loading', 'ready']);
  });

  it('waits for a worker, then memory, and says so', async ({ rig }) => {
    await rig.startReplica();
    const account = anAccount();
    const id = await rig.create(account);
    expect((await rig.seen(account, id, 'pending', 'no_worker')).detail).toContain('No connected worker');

    const small = rig.startAgent({ facts: { mem_free: 1_000 } });
    expect((await rig.seen(account, id, 'pending', 'no_capacity')).detail).toContain('GiB');
    expect(small.runs(id)).toBe(false);

    const big = rig.startAgent();
    await rig.published(id, 'ready');
    expect(big.runs(id)).toBe(true);
    expect(small.runs(id)).toBe(false);
  });

  it('of an HTTP engine runs on two agents', async ({ rig }) => {
    await rig.startReplica();
    const agents = [1, 2, 3].map(() => rig.startAgent({ facts: { mem_free: 0 } }));
    const account = anAccount();
    const id = await rig.create(account, engine);
    await rig.published(id, 'ready');
    await until('two replicas are ready', async () => (await rig.view(account, id)).ready_replicas === 2);
    expect(agents.filter((agent) => agent.runs(id))).toHaveLength(2);
  });

  it('is degraded while a replica is missing', async ({ rig }) => {
    await rig.startReplica();
    rig.startAgent();
    const account = anAccount();
    const id = await rig.create(account, { replicas: 2 });
    expect(await rig.seen(account, id, 'degraded', 'no_capacity')).toMatchObject({ replicas: 2, ready_replicas: 1 });
    await rig.published(id, 'degraded');
    rig.startAgent();
    await rig.published(id, 'ready');
  });
});

describe.concurrent('an agent that is lost', () => {
  it('loses its deployments after five seconds of silence', async ({ rig }) => {
    await rig.startReplica();
    const [a, b] = [rig.startAgent(), rig.startAgent()];
    const account = anAccount();
    const ids = [await rig.create(account), await rig.create(account)];
    for (const id of ids) await rig.published(id, 'ready');
    const lost = ids.find((id) => a.runs(id)) ?? ids[0]!;
    const other = ids.find((id) => id !== lost)!;
    expect(b.runs(other)).toBe(true);

    const frozenAt = performance.now();
    a.freeze();
    await until('the other agent takes over', () => b.runs(lost));
    expect(performance.now() - frozenAt).toBeGreaterThan(4_500);
    await rig.published(lost, 'ready');
    expect(b.starts.get(other)).toBe(1);

    // It wakes with its old load: the replica that took over stays, the old one goes.
    a.thaw();
    await until('the old replica is taken back', () => !a.runs(lost));
    expect(b.runs(lost)).toBe(true);
    expect(b.starts.get(lost)).toBe(1);
  });

  it('keeps its replica while it drains', async ({ rig }) => {
    await rig.startReplica();
    const a = rig.startAgent();
    const id = await rig.create(anAccount());
    await rig.published(id, 'ready');
    const b = rig.startAgent();
    a.facts = { draining: true };
    await until('the other agent runs it too', () => b.runs(id));
    expect(a.runs(id)).toBe(true);
  });
});

describe.concurrent('a model that fails', () => {
  it('is retried after growing pauses with the reason', async ({ rig }) => {
    await rig.startReplica();
    const tries: number[] = [];
    const react: Reaction = () => {
      tries.push(performance.now());
      if (tries.length > 2) return { state: 'ready', context: 1, caps: [] };
      return { state: 'failed', reason: 'engine_refused', detail: 'The engine refuses the credential.' };
    };
    rig.startAgent({ react });
    rig.startAgent({ react });
    const account = anAccount();
    const id = await rig.create(account);
    expect((await rig.seen(account, id, 'failed', 'engine_refused')).detail).toBe('The engine refuses the credential.');
    const { since } = (await rig.ask(FindDeployment, { account, deployment: id })).deployment;
    await until('the second try', () => tries.length === 2);
    await rig.seen(account, id, 'failed', 'engine_refused');
    expect((await rig.ask(FindDeployment, { account, deployment: id })).deployment.since).toBe(since);
    await until('the third try', () => tries.length === 3);
    const [first = 0, second = 0, third = 0] = tries;
    expect(second - first).toBeGreaterThan(1_500);
    expect(third - second).toBeGreaterThan(3_500);
    expect(await rig.seen(account, id, 'ready')).toMatchObject({ detail: null });
  });

  it('is not retried while its file stays damaged', async ({ rig }) => {
    await rig.startReplica();
    const react: Reaction = ({ source }) => ({
      ...{ state: 'failed', detail: 'This is no GGUF file.' },
      reason: source.kind === 'file' ? 'model_invalid' : 'engine_refused',
    });
    const agents = [rig.startAgent({ react }), rig.startAgent({ react })];
    const account = anAccount();
    const id = await rig.create(account);
    const control = await rig.create(account, { ...engine, replicas: 1 });
    expect((await rig.seen(account, id, 'failed', 'model_invalid')).detail).toBe('This is no GGUF file.');
    const starts = (): number => agents.reduce((sum, agent) => sum + (agent.starts.get(id) ?? 0), 0);
    // What fails for another reason is tried again after 2 s and 4 s.
    await until('others are tried again', () => agents.reduce((sum, agent) => sum + (agent.starts.get(control) ?? 0), 0) > 2);
    expect(starts()).toBe(1);

    await rig.ask(ResumeDeployment, { account, deployment: id });
    await until('the try that was asked for', () => starts() === 2);
    await rig.seen(account, id, 'failed', 'model_invalid');
    // The agent that has it finds that the file was replaced.
    agents.find((agent) => agent.runs(id))!.say(id, { state: 'ready', reason: null, detail: null });
    await rig.seen(account, id, 'ready');
    expect(starts()).toBe(2);
  });

  it('for lack of memory goes to another agent', async ({ rig }) => {
    await rig.startReplica();
    const a = rig.startAgent({ react: becomes({ state: 'failed', reason: 'out_of_memory' }) });
    const account = anAccount();
    const id = await rig.create(account);
    await rig.seen(account, id, 'failed', 'out_of_memory');
    const b = rig.startAgent();
    await rig.published(id, 'ready');
    expect(b.runs(id)).toBe(true);
    expect(a.runs(id)).toBe(false);
  });

  it('repeatedly does not flood gateways', async ({ rig }) => {
    await rig.startReplica();
    const agent = rig.startAgent();
    const account = anAccount();
    const id = await rig.create(account);
    await rig.published(id, 'ready');
    const flapping = setInterval(() => {
      agent.say(id, { state: 'loading' });
      setTimeout(() => agent.say(id, { state: 'ready' }), 150);
    }, 300);
    const before = rig.gateway.states.get(id)?.length ?? 0;
    const startedAt = performance.now();
    try {
      await until('the budget is used up', () => (rig.gateway.states.get(id)?.length ?? 0) - before >= 6);
      await until('six further seconds', () => performance.now() - startedAt > 6_000);
    } finally {
      clearInterval(flapping);
    }
    expect((rig.gateway.states.get(id)?.length ?? 0) - before).toBeLessThanOrEqual(10);
    await rig.published(id, 'ready');
  });
});

describe.concurrent('a service that restarts', () => {
  it('adopts what runs instead of moving it', async ({ rig }) => {
    const first = await rig.startProcess();
    const a = rig.startAgent();
    const account = anAccount();
    const ids = [await rig.create(account), await rig.create(account)];
    for (const id of ids) await rig.published(id, 'ready');
    const states = [...rig.gateway.states.get(ids[0]!)!];
    first.signal('SIGKILL');
    await first.exited;

    const b = rig.startAgent();
    const before = a.assignments.length;
    const term = a.assignments.at(-1)!.term;
    await rig.startReplica();
    await until('the new placer speaks', () => (a.assignments.at(-1)?.term ?? 0) > term && b.assignments.length > 0);
    expect(a.assignments.slice(before).every(({ items }) => items.length === 2)).toBe(true);
    expect(b.assignments.every(({ items }) => items.length === 0)).toBe(true);
    expect(a.starts.get(ids[0]!)).toBe(1);
    expect(rig.gateway.states.get(ids[0]!)).toEqual(states);
  });

  it('repeats assignments that agents have missed', async ({ rig }) => {
    await rig.startReplica();
    const [agent, old] = [rig.startAgent(), rig.startAgent({ old: true })];
    await rig.published(await rig.create(anAccount(), { replicas: 2 }), 'ready');
    agent.deaf = true;
    const id = await rig.create(anAccount(), { replicas: 2 });
    await until('the other one has it', () => old.runs(id));
    agent.deaf = false;
    await until('it hears the repetition', () => agent.runs(id));
    const before = old.assignments.length;
    await until('two repetitions', () => old.assignments.length >= before + 2);
  });
});
