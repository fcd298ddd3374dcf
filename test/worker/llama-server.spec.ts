import { describe, expect, vi } from 'vitest';
import { anItem } from './an-item.js';
import { replaced } from './fault-stage.js';
import { llamaServerItem, serverOf, servingLlamaServer } from './llama-server-stage.js';
import { MODEL, rigTest as it } from './rig.js';

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
});
