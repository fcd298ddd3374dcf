import { describe, expect, vi } from 'vitest';
import { endless, expectWhole, replaced, serving, started } from './fault-stage.js';
import { isAlive } from '../testing/is-alive.js';
import { rigTest as it } from './rig.js';
import { until } from './until.js';

// Models load in processes of their own, which take their time on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

// A few side by side: they wait for processes most of the time, and more at once would only slow each other's models.
describe('a runner that fails', () => {
  it.concurrent('when killed, is replaced and cuts no other stream', async ({ rig }) => {
    const agent = await serving(rig, 1, 2);
    const { pid } = rig.loadOf(agent, 1)!;
    const kept = rig.ask(2, 'Hello', endless);
    await started(kept);
    // Last, so that it cannot end before its runner does while the other one is slow to start.
    const lost = rig.ask(1, 'Hello', endless);
    await started(lost);

    process.kill(pid!, 'SIGKILL');

    await expect(lost.done).rejects.toMatchObject({ code: 'worker_lost' });
    await expectWhole(kept);
    await replaced(rig, agent, 1, pid!);
    // One crash is repaired without alarming anybody.
    const states = rig.beats.flatMap(({ loads }) => loads.filter(({ dep }) => dep === 1).map(({ state }) => state));
    expect(states).not.toContain('failed');
    expect((await rig.ask(1, 'Hello', { maxTokens: 8 }).done).end.usage.completion).toBe(8);
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
