import { describe, expect, vi } from 'vitest';
import { anItem } from './an-item.js';
import { type Agent, alive, type Run, type WorkerRig } from './rig.js';
import { rigTest as it } from './rig-test.js';
import { until } from './until.js';

// Models load in processes of their own, which take their time on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const started = (run: Run) => until('the first words', () => run.events() > 3);
/** Tokens of an endless answer that must be whole. */
const TOKENS = 800;
const endless = { endless: true, maxTokens: TOKENS };

async function expectWhole(run: Run): Promise<void> {
  const { end } = await run.done;
  expect(end.fin).toBe('done');
  expect(end.usage.completion).toBe(TOKENS);
}

async function serving(rig: WorkerRig, ...deps: number[]): Promise<Agent> {
  const agent = await rig.startAgent();
  rig.assign(
    agent,
    deps.map((dep) => anItem(dep)),
  );
  for (const dep of deps) await rig.ready(agent, dep);
  return agent;
}

/** Waits until the deployment is served by another process than `pid`. */
const replaced = (rig: WorkerRig, agent: Agent, dep: number, pid: number) =>
  until(`deployment ${dep} is served anew`, () => {
    const load = rig.loadOf(agent, dep);
    return load?.state === 'ready' && load.pid !== pid && load;
  });

// A few side by side: they wait for processes most of the time, and more at once would only slow each other's models.
describe('a runner that fails', () => {
  it.concurrent('a runner that is killed takes no other deployment’s stream with it, and is replaced at once', async ({ rig }) => {
    const agent = await serving(rig, 1, 2);
    const { pid } = rig.loadOf(agent, 1)!;
    const [lost, kept] = [rig.ask(1, 'Hello', endless), rig.ask(2, 'Hello', endless)];
    await Promise.all([started(lost), started(kept)]);

    process.kill(pid!, 'SIGKILL');

    await expect(lost.done).rejects.toMatchObject({ code: 'worker_lost' });
    await expectWhole(kept);
    await replaced(rig, agent, 1, pid!);
    // One crash is repaired without alarming anybody.
    const states = rig.beats.flatMap(({ loads }) => loads.filter(({ dep }) => dep === 1).map(({ state }) => state));
    expect(states).not.toContain('failed');
    await expectWhole(rig.ask(1, 'Hello', endless));
  });

  it.concurrent('a runner that keeps crashing is shown as such, and recovers when it stops crashing', async ({ rig }) => {
    const agent = await serving(rig, 1);
    for (let crashes = 0; crashes < 2; crashes += 1) {
      const { pid } = await rig.ready(agent, 1);
      process.kill(pid!, 'SIGABRT');
      await until('the agent noticed', () => rig.loadOf(agent, 1)?.state !== 'ready');
    }
    const load = await until('the state is failed', () => {
      const newest = rig.loadOf(agent, 1);
      return newest?.state === 'failed' && newest;
    });
    expect(load).toMatchObject({ reason: 'engine_crashed', detail: 'The runner process ended by SIGABRT.', progress: null });
    expect(await rig.ready(agent, 1)).toMatchObject({ reason: null, detail: null });
    expect((await rig.ask(1, 'Hello').done).end.fin).toBe('done');
  });

  it.concurrent('a runner whose event loop hangs is ended and replaced', async ({ rig }) => {
    const agent = await rig.startAgent({ RUNNER_SILENCE_MS: '5000' });
    rig.assign(agent, [anItem(1)]);
    const { pid } = await rig.ready(agent, 1);
    process.kill(pid!, 'SIGSTOP');
    await replaced(rig, agent, 1, pid!);
    expect(alive(pid!)).toBe(false);
    expect((await rig.ask(1, 'Hello').done).end.fin).toBe('done');
  });
});

describe('a runner that is left', () => {
  it.concurrent('a runner that is told to end by somebody else finishes its streams while its successor loads', async ({ rig }) => {
    const agent = await serving(rig, 1);
    const { pid } = rig.loadOf(agent, 1)!;
    const run = rig.ask(1, 'Hello', endless);
    await started(run);
    process.kill(pid!, 'SIGTERM');
    await expectWhole(run);
    await replaced(rig, agent, 1, pid!);
    await until('the old process has ended', () => !alive(pid!));
  });

  it.concurrent('an agent that is killed cuts no stream, and none of its processes stays', async ({ rig }) => {
    const agent = await serving(rig, 1, 2);
    const pids = [1, 2].map((dep) => rig.loadOf(agent, dep)!.pid!);
    const runs = [rig.ask(1, 'Hello', endless), rig.ask(2, 'Hello', endless), rig.ask(2, 'Hello', endless)];
    await Promise.all(runs.map(started));

    agent.child.kill('SIGKILL');

    for (const run of runs) await expectWhole(run);
    await until('no process is left', () => !pids.some(alive));
  });

  it.concurrent('a runner that loads when its agent is killed ends too', async ({ rig }) => {
    const agent = await rig.startAgent();
    rig.assign(agent, [anItem(1)]);
    const pid = await until('the runner was started', () => rig.loadOf(agent, 1)?.pid);
    agent.child.kill('SIGKILL');
    await until('no process is left', () => !alive(pid));
  });

  it.concurrent(
    'an agent that comes back serves beside no runner of the one before: that one only finishes what it has',
    async ({ rig }) => {
      const agent = await serving(rig, 1);
      const [before] = rig.runnersOf(1);
      const run = rig.ask(1, 'Hello', endless);
      await started(run);
      agent.child.kill('SIGKILL');
      const next = await rig.startAgent();
      rig.assign(next, [anItem(1)]);
      await rig.ready(next, 1);
      await until('the new runner is known', () => rig.runnersOf(1).some(({ wk, state }) => wk !== before!.wk && state === 'ready'));
      expect(rig.runnersOf(1).filter(({ state }) => state === 'ready')).toHaveLength(1);
      await expect(rig.ask(1, 'Hello', { worker: before!.wk }).done).rejects.toMatchObject({
        code: expect.stringMatching(/^(deployment_unavailable|overloaded)$/),
      });
      await expectWhole(run);
      await expectWhole(rig.ask(1, 'Hello', endless));
    },
  );
});

describe('an agent that is told to end', () => {
  it.concurrent('SIGTERM drains under load: streams finish, new ones are turned away, then everything ends with 0', async ({ rig }) => {
    const agent = await serving(rig, 1, 2);
    const pids = [1, 2].map((dep) => rig.loadOf(agent, dep)!.pid!);
    const [runner] = rig.runnersOf(1);
    const runs = [1, 1, 1, 1, 2, 2].map((dep) => rig.ask(dep, 'Hello', endless));
    await started(runs[0]!);

    agent.child.kill('SIGTERM');

    await until('the agent says that it drains', () => rig.beatOf(agent)?.draining);
    await until('the runner says that it drains', () => rig.runnersOf(1).some(({ state }) => state === 'draining'));
    await expect(rig.ask(1, 'Hello', { worker: runner!.wk }).done).rejects.toMatchObject({
      code: expect.stringMatching(/^(deployment_unavailable|overloaded)$/),
    });
    for (const run of runs) await expectWhole(run);
    expect(await agent.exited).toBe(0);
    expect(pids.some(alive)).toBe(false);
  });

  it.concurrent('Ctrl-C, which reaches the runners too, drains all the same', async ({ rig }) => {
    const agent = await serving(rig, 1, 2);
    const pids = [1, 2].map((dep) => rig.loadOf(agent, dep)!.pid!);
    const runs = [1, 1, 2].map((dep) => rig.ask(dep, 'Hello', endless));
    await Promise.all(runs.map(started));
    process.kill(-agent.pid, 'SIGINT');
    for (const run of runs) await expectWhole(run);
    expect(await agent.exited).toBe(0);
    expect(pids.some(alive)).toBe(false);
  });

  it.concurrent('a second signal ends everything at once', async ({ rig }) => {
    const agent = await serving(rig, 1);
    const { pid } = rig.loadOf(agent, 1)!;
    const run = rig.ask(1, 'Hello', endless);
    await started(run);
    agent.child.kill('SIGINT');
    await until('the agent says that it drains', () => rig.beatOf(agent)?.draining);
    agent.child.kill('SIGINT');
    expect(await agent.exited).not.toBe(0);
    await until('the runner has ended', () => !alive(pid!));
    await expect(run.done).rejects.toMatchObject({ code: 'worker_lost' });
  });
});

describe('streams that have too little time', () => {
  it.concurrent('what still runs at the end of the drain time ends with an error that lets others try', async ({ rig }) => {
    const agent = await rig.startAgent({ DRAIN_MS: '20' });
    rig.assign(agent, [anItem(1)]);
    const { pid } = await rig.ready(agent, 1);
    const run = rig.ask(1, 'Hello', endless);
    await started(run);
    agent.child.kill('SIGTERM');
    await expect(run.done).rejects.toMatchObject({ code: 'server_shutting_down' });
    expect(await agent.exited).toBe(0);
    expect(alive(pid!)).toBe(false);
  });

  it.concurrent(
    'a stopped deployment’s streams have their time, then end as stopped; one that only leaves may be tried elsewhere',
    async ({ rig }) => {
      const agent = await rig.startAgent({ UNLOAD_GRACE_MS: '100' });
      // Two answers at a time, and a third that waits for them: it cannot end within its time.
      rig.assign(agent, [anItem(1), anItem(2)]);
      await Promise.all([rig.ready(agent, 1), rig.ready(agent, 2)]);
      const ask = (dep: number) => Array.from({ length: 4 }, () => rig.ask(dep, 'Hello', endless));
      const [stopped, left] = [ask(1), ask(2)];
      await Promise.all([started(stopped[0]!), started(left[0]!)]);
      rig.unassign(agent, [1]);
      const codes = async (runs: Run[]) => {
        const ends = await Promise.allSettled(runs.map(({ done }) => done));
        return new Set(ends.flatMap((end) => (end.status === 'rejected' ? [(end.reason as { code: string }).code] : [])));
      };
      expect([...(await codes(stopped))]).toEqual(['deployment_stopped']);
      // The rig’s chooser knows no other worker, which is what a start that was turned away ends with.
      for (const code of await codes(left)) expect(['server_shutting_down', 'overloaded']).toContain(code);
      await until('nothing is reported any more', () => rig.beatOf(agent)?.loads.length === 0);
    },
  );

  it.concurrent('SIGTERM shortens the time of what is already leaving', async ({ rig }) => {
    const agent = await rig.startAgent({ UNLOAD_GRACE_MS: '600000', DRAIN_MS: '50' });
    rig.assign(agent, [anItem(1)]);
    const { pid } = await rig.ready(agent, 1);
    const runs = Array.from({ length: 4 }, () => rig.ask(1, 'Hello', endless));
    await started(runs[0]!);
    rig.assign(agent, []);
    await until('the runner drains', () => rig.loadOf(agent, 1)?.state === 'draining');
    agent.child.kill('SIGTERM');
    expect(await agent.exited).toBe(0);
    expect(alive(pid!)).toBe(false);
    const ends = await Promise.allSettled(runs.map(({ done }) => done));
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).not.toMatchObject({ code: 'worker_lost' });
  });
});
