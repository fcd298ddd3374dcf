import { describe, expect, vi } from 'vitest';
import { isAlive } from '../../testing/is-alive.js';
import { anItem } from '../an-item.js';
import { endless, expectWhole, replaced, serving, started } from '../fault-stage.js';
import { rigTest as it, type Run } from '../rig.js';
import { until } from '../until.js';

// Models load in processes of their own, which take their time on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

/** A module with which a signal stops the event loop for good, as native code that hangs does. */
const HANGS_WHEN_TOLD = `data:text/javascript,${encodeURIComponent(`
  process.on('SIGUSR2', () => {
    process.stderr.write('hangs\\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`)}`;

/** A module with which a signal takes half a gibibyte for good, as native code that a model file misleads does. */
const GROWS_WHEN_TOLD = `data:text/javascript,${encodeURIComponent(`
  process.on('SIGUSR2', () => {
    globalThis.taken = Buffer.alloc(512 * 1024 * 1024, 1);
  });
`)}`;

describe('a runner that takes more memory than it may', () => {
  it.concurrent('is replaced and cuts no other stream', async ({ rig }) => {
    const agent = await rig.startAgent({ RUNNER_MEM_BYTES: String(400 * 1024 * 1024), NODE_OPTIONS: `--import=${GROWS_WHEN_TOLD}` });
    rig.assign(agent, [anItem(1), anItem(2)]);
    const [{ pid }] = await Promise.all([rig.ready(agent, 1), rig.ready(agent, 2)]);
    const kept = rig.ask(2, 'Hello', endless);
    await started(kept);
    process.kill(pid!, 'SIGUSR2');
    await replaced(rig, agent, 1, pid!);
    expect(agent.output()).toContain('"runner.memory_exceeded"');
    await expectWhole(kept);
  });
});

describe('a runner that is left', () => {
  it.concurrent('finishes the streams of its killed agent, then ends', async ({ rig }) => {
    const agent = await serving(rig, 1, 2);
    const pids = [1, 2].map((dep) => rig.loadOf(agent, dep)!.pid!);
    const runs = [rig.ask(1, 'Hello', endless), rig.ask(2, 'Hello', endless), rig.ask(2, 'Hello', endless)];
    await Promise.all(runs.map(started));

    agent.child.kill('SIGKILL');

    for (const run of runs) await expectWhole(run);
    await until('no process is left', () => !pids.some(isAlive));
  });

  it.concurrent('ends also when it hangs', async ({ rig }) => {
    const agent = await rig.startAgent({ DRAIN_MS: '100', RUNNER_SILENCE_MS: '600000', NODE_OPTIONS: `--import=${HANGS_WHEN_TOLD}` });
    rig.assign(agent, [anItem(1)]);
    const { pid } = await rig.ready(agent, 1);
    process.kill(pid!, 'SIGUSR2');
    await until('it hangs', () => agent.output().includes('hangs'));
    agent.child.kill('SIGKILL');
    await until('no process is left', () => !isAlive(pid!));
  });
});

describe('streams that have too little time', () => {
  it.concurrent('end as stopped, or may be tried elsewhere', async ({ rig }) => {
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
  });
});
