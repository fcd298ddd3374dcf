import { Module } from '@nestjs/common';
import { LOG_LEVELS, type LogLevel, ReadProcess, SetLogLevel } from '@slipway/contracts';
import {
  connectNats,
  createLogger,
  defineService,
  type NatsConnection,
  natsFragment,
  PROCESS_NAME,
  RpcClient,
  serviceFragment,
  SLIPWAY_VERSION,
} from '@slipway/platform';
import { type RunningService, startService } from '@slipway/platform/service';
import { TestNatsServer } from '@slipway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { until } from '../testing/until.js';

const ENV = 'looked-into';
const BY = { kind: 'ops', client: 'slipway-cli ada@host-1' } as const;

@Module({})
class NothingModule {}

const service = defineService({
  name: 'probe',
  role: 'keys',
  config: z.object({ ...serviceFragment, ...natsFragment, PROBE_SECRET: z.string().optional() }),
  module: NothingModule,
});

let server: TestNatsServer;
let ops: NatsConnection;
let running: RunningService;
let lines: string[];
beforeAll(async () => {
  server = await TestNatsServer.start();
  ops = await connectNats({ url: server.url, role: 'ops', name: 'test', log: createLogger('test', 'silent') });
});
afterAll(async () => {
  await ops?.close();
  await server?.end();
});
beforeEach(async () => {
  lines = [];
  const settings = { SLIPWAY_ENV: ENV, NATS_URL: server.url, PROBE_SECRET: 'hush', LOG_LEVEL: 'warn' as const };
  running = await startService(service, settings, { log: (line) => lines.push(line) });
});
afterEach(() => running?.stop());

const address = (): { wk: string } => ({ wk: running.get<string>(PROCESS_NAME) });
const read = () => new RpcClient(ops, ENV).call(ReadProcess.keys, {}, address());
const set = (level: LogLevel | null, seconds?: number) =>
  new RpcClient(ops, ENV).call(SetLogLevel.keys, { level, seconds, actor: BY }, address());
const events = (): Record<string, unknown>[] =>
  lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ event }) => String(event).startsWith('log.level'));

describe('a process that an operator asks', () => {
  it('says what it is and how it is set', async () => {
    const { settings, ...process_ } = await read();
    expect(process_).toMatchObject({ ...address(), service: 'probe', pid: process.pid, release: SLIPWAY_VERSION });
    expect(Date.parse(process_.started_at)).toBeLessThan(Date.now());
    expect(settings).toEqual(
      expect.arrayContaining([
        { name: 'PROBE_SECRET', value: '***', source: 'set' },
        { name: 'LOG_LEVEL', value: 'warn', source: 'set' },
        { name: 'OPS_HOST', value: '127.0.0.1', source: 'default' },
      ]),
    );
    expect(JSON.stringify(settings)).not.toContain('hush');
  });

  it('sets its log for a time and goes back by itself', async () => {
    const { configured } = (await read()).log;
    const { level, until: end } = await set('fatal', 1);
    expect([level, Date.parse(end!) - Date.now() <= 1_000]).toEqual(['fatal', true]);
    await until('the level is back', async () => (await read()).log.until === null);
    expect((await read()).log).toEqual({ level: configured, configured, until: null });
    expect(events()).toMatchObject([
      { event: 'log.level_changed', level: 'info', from: configured, to: 'fatal', until: end, by: 'ops', client: BY.client },
      { event: 'log.level_restored', from: 'fatal', to: configured, reason: 'expired' },
    ]);
  });

  it('replaces a level, and ends it at once', async () => {
    await set('fatal', 1);
    const { until: end } = await set('error');
    expect(Date.parse(end!) - Date.now()).toBeGreaterThan(500_000);
    expect(await set(null)).toMatchObject({ until: null });
    await set(null);
    expect(events().map(({ event, to, reason }) => [event, to, reason])).toEqual([
      ['log.level_changed', 'fatal', undefined],
      ['log.level_changed', 'error', undefined],
      ['log.level_restored', 'silent', 'reset'],
    ]);
  });

  it.each([0, 86_401, 1.5, Number.MAX_SAFE_INTEGER])('refuses %d seconds', async (seconds) => {
    await expect(set('debug', seconds)).rejects.toMatchObject({ code: 'invalid_request', param: 'seconds' });
    expect(events()).toEqual([]);
  });

  it('refuses a level that it does not have', async () => {
    await expect(set('trace' as LogLevel)).rejects.toMatchObject({ code: 'invalid_request', param: 'level' });
    expect(LOG_LEVELS).not.toContain('trace');
  });
});
