import { existsSync } from 'node:fs';
import { describe, expect, vi } from 'vitest';
import { isAlive } from '../../testing/is-alive.js';
import { replaced } from '../fault-stage.js';
import { FAKE_LLAMA_SERVER, llamaServerItem, serverOf, servingLlamaServer } from '../llama-server-stage.js';
import { rigTest as it } from '../rig.js';
import { until } from '../until.js';

vi.setConfig({ testTimeout: 180_000 });

describe('the engine llama-server', () => {
  it.concurrent('is offered only by workers with a binary', async ({ rig }) => {
    const without = await rig.startAgent();
    expect(rig.beatOf(without)?.engines).toEqual(['llama', 'http']);
    rig.assign(without, [llamaServerItem(rig, 1)]);
    const load = await until('it is refused', () => rig.loadOf(without, 1)?.reason && rig.loadOf(without, 1));
    expect(load).toMatchObject({ state: 'failed', reason: 'engine_refused' });
  });

  it.concurrent('is replaced when its server falls silent', async ({ rig }) => {
    const agent = await servingLlamaServer(rig, [llamaServerItem(rig, 1, 'silence')]);
    const { pid: runner } = rig.loadOf(agent, 1)!;
    const { pid } = serverOf(rig, 1);
    await expect(rig.ask(1, 'Hello').done).rejects.toMatchObject({ code: expect.stringMatching(/./) as string });
    await replaced(rig, agent, 1, runner!);
    expect(isAlive(pid)).toBe(false);
  });

  it.concurrent('reports why its model cannot be loaded', async ({ rig }) => {
    const agent = await rig.startAgent({ LLAMA_SERVER: FAKE_LLAMA_SERVER });
    rig.assign(agent, [llamaServerItem(rig, 1, 'invalid'), llamaServerItem(rig, 2, 'memory')]);
    await until('both are reported', () => [1, 2].every((dep) => rig.loadOf(agent, dep)?.state === 'failed'));
    expect([1, 2].map((dep) => rig.loadOf(agent, dep)?.reason)).toEqual(['model_invalid', 'out_of_memory']);
  });
});

describe('a llama-server whose runner ends', () => {
  it.concurrent('is killed with a killed runner', async ({ rig }) => {
    const agent = await servingLlamaServer(rig, [llamaServerItem(rig, 1, 'stubborn')]);
    const [{ pid: runner }, { pid, args }] = [rig.loadOf(agent, 1)!, serverOf(rig, 1)];
    process.kill(runner!, 'SIGKILL');
    await until('the server is gone', () => !isAlive(pid));
    await until('its folder is gone', () => !existsSync(args[args.indexOf('--host') + 1]!.replace(/\/http\.sock$/, '')));
    await replaced(rig, agent, 1, runner!);
  });

  it.concurrent('ends when its deployment is stopped', async ({ rig }) => {
    const agent = await servingLlamaServer(rig, [llamaServerItem(rig, 1, 'stubborn')]);
    const { pid } = serverOf(rig, 1);
    rig.unassign(agent, [1]);
    await until('nothing is reported', () => rig.beatOf(agent)?.loads.length === 0);
    await until('the server is gone', () => !isAlive(pid));
  });

  it.concurrent('outlives a killed agent until its streams end', async ({ rig }) => {
    const agent = await servingLlamaServer(rig, [llamaServerItem(rig, 1, 'stubborn')]);
    const { pid } = serverOf(rig, 1);
    const run = rig.ask(1, 'Hello');
    await until('it answers', () => run.events() > 3);
    agent.child.kill('SIGKILL');
    expect((await run.done).end.usage.completion).toBe(40);
    await until('the server is gone', () => !isAlive(pid));
  });

  it.concurrent('is killed with agent and runner at once', async ({ rig }) => {
    const agent = await servingLlamaServer(rig, [llamaServerItem(rig, 1)]);
    const [{ pid: runner }, { pid }] = [rig.loadOf(agent, 1)!, serverOf(rig, 1)];
    agent.child.kill('SIGKILL');
    process.kill(runner!, 'SIGKILL');
    await until('the server is gone', () => !isAlive(pid));
  });
});
