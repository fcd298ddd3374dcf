import { existsSync } from 'node:fs';
import { describe, expect, vi } from 'vitest';
import { isAlive } from '../../testing/is-alive.js';
import { anItem } from '../an-item.js';
import { replaced } from '../fault-stage.js';
import { FAKE_LLAMA_SERVER, llamaServerItem, serverOf, servingLlamaServer } from '../llama-server-stage.js';
import { MODEL, rigTest as it } from '../rig.js';
import { until } from '../until.js';

vi.setConfig({ testTimeout: 180_000 });

describe('the engine llama-server', () => {
  it.concurrent('serves streams beside models of llama.cpp', async ({ rig }) => {
    const settings = { LLAMA_SERVER_ARGS: '--metrics  --threads 9', SOME_SECRET: 'x' };
    const agent = await servingLlamaServer(
      rig,
      [llamaServerItem(rig, 1, null, { cache_type: 'q8_0' }), anItem(2, { source: { kind: 'file', path: MODEL } })],
      settings,
    );
    expect(rig.beatOf(agent)?.engines).toEqual(['llama', 'llama-server', 'http']);
    expect(rig.loadOf(agent, 1)).toMatchObject({ context: 512, caps: expect.arrayContaining(['tools']) as string[] });
    expect((await rig.ask(1, 'Hello', { maxTokens: 3 }).done).text).toBe('w0 w1 w2 ');
    const { ppid, args, environment } = serverOf(rig, 1);
    expect(ppid).toBe(rig.loadOf(agent, 1)?.pid);
    expect(args.join(' ')).toMatch(/^--metrics --threads 9 .*--cache-type-k q8_0/);
    expect(environment).not.toHaveProperty('SOME_SECRET');
    expect(environment).not.toHaveProperty('NATS_CREDENTIALS_DIR');
  });

  it.concurrent('is replaced when its server crashes', async ({ rig }) => {
    const agent = await servingLlamaServer(rig, [llamaServerItem(rig, 1, 'crash'), llamaServerItem(rig, 2)]);
    const [{ pid }, kept] = [rig.loadOf(agent, 1)!, rig.ask(2, 'Hello')];
    await expect(rig.ask(1, 'a secret prompt').done).rejects.toMatchObject({ code: 'engine_error' });
    await replaced(rig, agent, 1, pid!);
    expect((await kept.done).end.fin).toBe('done');
    expect(agent.output()).not.toContain('secret');
    const states = rig.beats.flatMap(({ loads }) => loads.filter(({ dep }) => dep === 1).map(({ state }) => state));
    expect(states).not.toContain('failed');
  });

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
