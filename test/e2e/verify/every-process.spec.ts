import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chatStream, ScriptedUpstream } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bus, ENV } from '../../services/bus.js';
import { type Stack, startStack } from '../stack.js';
import { type Seen, SteadyLoad } from '../steady-load.js';

const STREAMS = 60;
const TOKENS = 60;
const TOKEN_MS = 100;
/** Duration of a stream, after which all streams affected by a fault have ended. */
const WATCHED_MS = 12_000;
const FROZEN_MS = 5_000;

/** The answer to a question: words unique to it. */
const words = (question: string): string[] =>
  question === 'short' ? ['yes'] : Array.from({ length: TOKENS }, (_, i) => `${question}-${i} `);

const questionOf = (body: unknown): string => (body as { messages: { content: string }[] }).messages.at(-1)?.content ?? '';

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');

describe('with two gateways, three workers, three NATS nodes and sixty paced streams', () => {
  let upstream: ScriptedUpstream;
  let bus: Bus;
  let stack: Stack;
  let load: SteadyLoad;

  beforeAll(async () => {
    upstream = await ScriptedUpstream.start(({ body }) => {
      const script = chatStream(words(questionOf(body)));
      return { ...script, steps: script.steps.flatMap((step) => [{ pauseMs: TOKEN_MS }, step]) };
    });
    bus = await Bus.start(3);
    const options = ['--upstream', upstream.url, '--upstream-model', 'scripted', '--gateways', '2', '--workers', '3'];
    stack = await startStack(options, { SLIPWAY_ENV: ENV, NATS_URL: bus.url, NATS_CREDENTIALS_DIR: bus.credentialsDir });
    load = new SteadyLoad(stack, stack.key ?? '', (question) => words(question).join(''));
    load.start(STREAMS);
  }, 240_000);
  afterAll(async () => {
    await load.end();
    await stack.stop();
    await bus.end();
    await upstream.stop();
  }, 120_000);

  /** The launcher records its processes. */
  async function pidOf(name: string): Promise<number> {
    const record = JSON.parse(await readFile(join(stack.dataDir, 'run', `${name}.json`), 'utf8')) as { pid: number };
    return record.pid;
  }

  async function frozen(freeze: () => void, thaw: () => void): Promise<void> {
    freeze();
    await delay(FROZEN_MS);
    thaw();
  }

  async function signal(name: string, how: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP'): Promise<void> {
    const pid = await pidOf(name);
    const send = (what: NodeJS.Signals) => () => void process.kill(pid, what);
    if (how === 'SIGSTOP') await frozen(send('SIGSTOP'), send('SIGCONT'));
    else send(how)();
  }

  /** Waits for a stable load, runs `fault`, observes until all affected streams have ended, and waits for a stable load again. */
  async function watch(title: string, fault: () => Promise<unknown>): Promise<Seen> {
    await calm();
    const since = Date.now();
    await fault();
    await delay(Math.max(0, since + WATCHED_MS - Date.now()));
    const seen = load.since(since);
    await calm();
    print(
      `[every process] ${title} | streams: ${listed(seen.streams)}, longest pause ${seen.longestPauseMs} ms | requests: ${listed(seen.requests)} | commands: ${listed(seen.commands)}`,
    );
    expect(Object.keys(seen.streams)).not.toContain('cut');
    expect(Object.keys(seen.streams)).not.toContain('wrong');
    return seen;
  }

  const calm = async (): Promise<void> => {
    const since = Date.now();
    await expect.poll(() => load.wholeSince(since), { timeout: 60_000, interval: 100 }).toBeGreaterThan(STREAMS / 2);
  };

  it.each([0, 1, 2])('restarting NATS node %i costs no stream', async (nth) => {
    const seen = await watch(`NATS node ${nth} SIGKILL`, async () => {
      await bus.servers[nth]?.kill();
      await delay(1_000);
      await bus.servers[nth]?.restart();
    });
    expect(Object.keys(seen.streams)).toEqual(['whole']);
  });

  it('loses no stream when a NATS node hangs', async () => {
    const server = bus.servers[1];
    const seen = await watch('NATS node 1 SIGSTOP', () =>
      frozen(
        () => server?.freeze(),
        () => server?.thaw(),
      ),
    );
    expect(Object.keys(seen.streams).filter((how) => how.startsWith('broken'))).toEqual([]);
  });

  it.each(['postgres', 'control-plane'].flatMap((name) => [[name, 'SIGKILL'] as const, [name, 'SIGSTOP'] as const]))(
    '%s by %s costs no stream or request',
    async (name, how) => {
      const seen = await watch(`${name} ${how}`, () => signal(name, how));
      expect(Object.keys(seen.streams).filter((outcome) => outcome.startsWith('broken'))).toEqual([]);
      if (how === 'SIGKILL') expect(Object.keys(seen.requests)).toEqual(['200']);
    },
  );

  it.each(['SIGKILL', 'SIGSTOP', 'SIGTERM'] as const)('a worker by %s ends only its own streams', async (how) => {
    const seen = await watch(`worker-1 ${how}`, () => signal('worker-1', how));
    expect(seen.streams['whole']).toBeGreaterThan(0);
  });

  it.each(['SIGKILL', 'SIGSTOP', 'SIGTERM'] as const)('a gateway by %s ends only its connections', async (how) => {
    const seen = await watch(`gateway-2 ${how}`, () => signal('gateway-2', how));
    expect(seen.streams['whole']).toBeGreaterThan(0);
  });
});
