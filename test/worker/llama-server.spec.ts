import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AssignmentItem } from '@slipway/contracts';
import { describe, expect, vi } from 'vitest';
import { isAlive } from '../testing/is-alive.js';
import { anItem } from './an-item.js';
import { replaced } from './fault-stage.js';
import { type Agent, MODEL, type WorkerRig } from './rig.js';
import { rigTest as it } from './rig-test.js';
import { until } from './until.js';

vi.setConfig({ testTimeout: 180_000 });

const FAKE = fileURLToPath(new URL('../engines/fake-llama-server.mjs', import.meta.url));

/** What the fake wrote down of its newest start. */
interface Server {
  readonly pid: number;
  readonly ppid: number;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const serverOf = (rig: WorkerRig, dep: number): Server => {
  const file = join(rig.folder, `${dep}.json`);
  return JSON.parse(existsSync(file) ? readFileSync(file, 'utf8') : '{}') as Server;
};

/** A deployment that a fake llama-server with this fault serves. */
function item(rig: WorkerRig, dep: number, fault: string | null = null, options?: Record<string, string>): AssignmentItem {
  const path = join(rig.folder, `${dep}.gguf`);
  writeFileSync(path, JSON.stringify({ fault, notes: join(rig.folder, `${dep}.json`) }));
  return anItem(dep, { source: { kind: 'file', path, engine: { kind: 'llama-server', ...(options && { options }) } }, context: 512 });
}

async function serving(rig: WorkerRig, items: AssignmentItem[], settings: NodeJS.ProcessEnv = {}): Promise<Agent> {
  const agent = await rig.startAgent({ LLAMA_SERVER: FAKE, ...settings });
  rig.assign(agent, items);
  for (const { dep } of items) await rig.ready(agent, dep);
  return agent;
}

describe('the engine llama-server', () => {
  it.concurrent('is offered only by workers with a binary', async ({ rig }) => {
    const [without, with_] = [await rig.startAgent(), await rig.startAgent({ LLAMA_SERVER: FAKE })];
    expect(rig.beatOf(without)?.engines).toEqual(['llama', 'http']);
    expect(rig.beatOf(with_)?.engines).toEqual(['llama', 'llama-server', 'http']);
    rig.assign(without, [item(rig, 1)]);
    const load = await until('it is refused', () => rig.loadOf(without, 1)?.reason && rig.loadOf(without, 1));
    expect(load).toMatchObject({ state: 'failed', reason: 'engine_refused' });
  });

  it.concurrent('serves streams beside models of llama.cpp', async ({ rig }) => {
    const settings = { LLAMA_SERVER_ARGS: '--metrics  --threads 9', SOME_SECRET: 'x' };
    const agent = await serving(
      rig,
      [item(rig, 1, null, { cache_type: 'q8_0' }), anItem(2, { source: { kind: 'file', path: MODEL } })],
      settings,
    );
    expect(rig.loadOf(agent, 1)).toMatchObject({ context: 512, caps: expect.arrayContaining(['tools']) as string[] });
    expect((await rig.ask(1, 'Hello', { maxTokens: 3 }).done).text).toBe('w0 w1 w2 ');
    const { ppid, args, environment } = serverOf(rig, 1);
    expect(ppid).toBe(rig.loadOf(agent, 1)?.pid);
    expect(args.join(' ')).toMatch(/^--metrics --threads 9 .*--cache-type-k q8_0/);
    expect(environment).not.toHaveProperty('SOME_SECRET');
    expect(environment).not.toHaveProperty('NATS_CREDENTIALS_DIR');
  });

  it.concurrent('is replaced when its server crashes', async ({ rig }) => {
    const agent = await serving(rig, [item(rig, 1, 'crash'), item(rig, 2)]);
    const [{ pid }, kept] = [rig.loadOf(agent, 1)!, rig.ask(2, 'Hello')];
    await expect(rig.ask(1, 'a secret prompt').done).rejects.toMatchObject({ code: 'engine_error' });
    await replaced(rig, agent, 1, pid!);
    expect((await kept.done).end.fin).toBe('done');
    expect(agent.output()).not.toContain('secret');
    const states = rig.beats.flatMap(({ loads }) => loads.filter(({ dep }) => dep === 1).map(({ state }) => state));
    expect(states).not.toContain('failed');
  });

  it.concurrent('is replaced when its server falls silent', async ({ rig }) => {
    const agent = await serving(rig, [item(rig, 1, 'silence')]);
    const { pid: runner } = rig.loadOf(agent, 1)!;
    const { pid } = serverOf(rig, 1);
    await expect(rig.ask(1, 'Hello').done).rejects.toMatchObject({ code: expect.stringMatching(/./) as string });
    await replaced(rig, agent, 1, runner!);
    expect(isAlive(pid)).toBe(false);
  });

  it.concurrent('reports why its model cannot be loaded', async ({ rig }) => {
    const agent = await rig.startAgent({ LLAMA_SERVER: FAKE });
    rig.assign(agent, [item(rig, 1, 'invalid'), item(rig, 2, 'memory')]);
    await until('both are reported', () => [1, 2].every((dep) => rig.loadOf(agent, dep)?.state === 'failed'));
    expect([1, 2].map((dep) => rig.loadOf(agent, dep)?.reason)).toEqual(['model_invalid', 'out_of_memory']);
  });
});

describe('a llama-server whose runner ends', () => {
  it.concurrent('ends when its deployment is stopped', async ({ rig }) => {
    const agent = await serving(rig, [item(rig, 1, 'stubborn')]);
    const { pid } = serverOf(rig, 1);
    rig.unassign(agent, [1]);
    await until('nothing is reported', () => rig.beatOf(agent)?.loads.length === 0);
    await until('the server is gone', () => !isAlive(pid));
  });

  it.concurrent('is killed with a killed runner', async ({ rig }) => {
    const agent = await serving(rig, [item(rig, 1, 'stubborn')]);
    const [{ pid: runner }, { pid, args }] = [rig.loadOf(agent, 1)!, serverOf(rig, 1)];
    process.kill(runner!, 'SIGKILL');
    await until('the server is gone', () => !isAlive(pid));
    await until('its folder is gone', () => !existsSync(args[args.indexOf('--host') + 1]!.replace(/\/http\.sock$/, '')));
    await replaced(rig, agent, 1, runner!);
  });

  it.concurrent('outlives a killed agent until its streams end', async ({ rig }) => {
    const agent = await serving(rig, [item(rig, 1, 'stubborn')]);
    const { pid } = serverOf(rig, 1);
    const run = rig.ask(1, 'Hello');
    await until('it answers', () => run.events() > 3);
    agent.child.kill('SIGKILL');
    expect((await run.done).end.usage.completion).toBe(40);
    await until('the server is gone', () => !isAlive(pid));
  });

  it.concurrent('is killed with agent and runner at once', async ({ rig }) => {
    const agent = await serving(rig, [item(rig, 1)]);
    const [{ pid: runner }, { pid }] = [rig.loadOf(agent, 1)!, serverOf(rig, 1)];
    agent.child.kill('SIGKILL');
    process.kill(runner!, 'SIGKILL');
    await until('the server is gone', () => !isAlive(pid));
  });
});
