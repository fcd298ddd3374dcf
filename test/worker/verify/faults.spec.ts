import { describe, expect, vi } from 'vitest';
import { anItem } from '../an-item.js';
import { endless, expectWhole, replaced, serving, started } from '../fault-stage.js';
import { isAlive } from '../../testing/is-alive.js';
import { rigTest as it } from '../rig.js';
import { until } from '../until.js';

// Models load in processes of their own, which take their time on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

// A few side by side: they wait for processes most of the time, and more at once would only slow each other's models.
describe('a runner that fails', () => {
  it.concurrent('is shown as crashing until it stays up', async ({ rig }) => {
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

  it.concurrent('is replaced when its event loop hangs', async ({ rig }) => {
    const agent = await rig.startAgent({ RUNNER_SILENCE_MS: '5000' });
    rig.assign(agent, [anItem(1)]);
    const { pid } = await rig.ready(agent, 1);
    process.kill(pid!, 'SIGSTOP');
    await replaced(rig, agent, 1, pid!);
    expect(isAlive(pid!)).toBe(false);
    expect((await rig.ask(1, 'Hello').done).end.fin).toBe('done');
  });
});

describe('a runner that is left', () => {
  it.concurrent('finishes its streams while its successor loads', async ({ rig }) => {
    const agent = await serving(rig, 1);
    const { pid } = rig.loadOf(agent, 1)!;
    const run = rig.ask(1, 'Hello', endless);
    await started(run);
    process.kill(pid!, 'SIGTERM');
    await expectWhole(run);
    await replaced(rig, agent, 1, pid!);
    await until('the old process has ended', () => !isAlive(pid!));
  });

  it.concurrent('ends with its agent while it loads', async ({ rig }) => {
    const agent = await rig.startAgent();
    rig.assign(agent, [anItem(1)]);
    const pid = await until('the runner was started', () => rig.loadOf(agent, 1)?.pid);
    agent.child.kill('SIGKILL');
    await until('no process is left', () => !isAlive(pid));
  });

  it.concurrent('takes no new streams beside its agent’s successor', async ({ rig }) => {
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
  });
});

describe('an agent that gets SIGTERM', () => {
  it.concurrent('drains when Ctrl-C reaches its runners too', async ({ rig }) => {
    const agent = await serving(rig, 1, 2);
    const pids = [1, 2].map((dep) => rig.loadOf(agent, dep)!.pid!);
    const runs = [1, 1, 2].map((dep) => rig.ask(dep, 'Hello', endless));
    await Promise.all(runs.map(started));
    process.kill(-agent.pid, 'SIGINT');
    for (const run of runs) await expectWhole(run);
    expect(await agent.exited).toBe(0);
    expect(pids.some(isAlive)).toBe(false);
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
    await until('the runner has ended', () => !isAlive(pid!));
    await expect(run.done).rejects.toMatchObject({ code: 'worker_lost' });
  });
});

describe('streams that have too little time', () => {
  it.concurrent('ends what outlasts the drain as retryable', async ({ rig }) => {
    const agent = await rig.startAgent({ DRAIN_MS: '20' });
    rig.assign(agent, [anItem(1)]);
    const { pid } = await rig.ready(agent, 1);
    const run = rig.ask(1, 'Hello', endless);
    await started(run);
    agent.child.kill('SIGTERM');
    await expect(run.done).rejects.toMatchObject({ code: 'server_shutting_down' });
    expect(await agent.exited).toBe(0);
    expect(isAlive(pid!)).toBe(false);
  });

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
    expect(isAlive(pid!)).toBe(false);
    const ends = await Promise.allSettled(runs.map(({ done }) => done));
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).not.toMatchObject({ code: 'worker_lost' });
  });
});

describe('an agent that gets SIGTERM', () => {
  it.concurrent('finishes streams, takes no new ones, exits with 0', async ({ rig }) => {
    const agent = await serving(rig, 1, 2);
    const pids = [1, 2].map((dep) => rig.loadOf(agent, dep)!.pid!);
    const [runner] = rig.runnersOf(1);
    const runs = [1, 1, 2].map((dep) => rig.ask(dep, 'Hello', endless));
    await started(runs[0]!);

    agent.child.kill('SIGTERM');

    await until('the agent says that it drains', () => rig.beatOf(agent)?.draining);
    await until('the runner says that it drains', () => rig.runnersOf(1).some(({ state }) => state === 'draining'));
    await expect(rig.ask(1, 'Hello', { worker: runner!.wk }).done).rejects.toMatchObject({
      code: expect.stringMatching(/^(deployment_unavailable|overloaded)$/),
    });
    for (const run of runs) await expectWhole(run);
    expect(await agent.exited).toBe(0);
    expect(pids.some(isAlive)).toBe(false);
  });
});
