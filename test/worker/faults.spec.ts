import { describe, expect, vi } from 'vitest';
import { endless, expectWhole, frozen, replaced, serving, started } from './fault-stage.js';
import { rigTest as it } from './rig.js';

// Models load in processes of their own, which take their time on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

// A few side by side: they wait for processes most of the time, and more at once would only slow each other's models.
describe('a runner that fails', () => {
  it.concurrent('when killed, is replaced and cuts no other stream', async ({ rig }) => {
    const agent = await serving(rig, 1, 2);
    const { pid } = rig.loadOf(agent, 1)!;
    const lost = await frozen(rig, 1, pid!);
    const kept = rig.ask(2, 'Hello', endless);
    await started(kept);

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
