import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { dockerMissing } from '../docker-stack.js';
import { SlowStack } from '../slow-stack.js';

const missing = dockerMissing();
if (missing !== null) process.stdout.write(`The compose file is not rolled here: ${missing}.\n`);
const SHORT_S = 6;
/** Less than DRAIN_MS: a stream that is longer than the drain of its worker ends with an error event. */
const LONG_S = 40;
const MINUTES = 60_000;

let stack: SlowStack;

/** What a run found, for the log of the run. */
const report = (what: string, found: object): void => void process.stdout.write(`${what}: ${JSON.stringify(found)}\n`);

describe.skipIf(missing !== null)('rolling the stack of docker-compose.yml', () => {
  beforeAll(async () => {
    stack = await SlowStack.start();
  }, 40 * MINUTES);
  afterAll(() => stack?.remove(), 10 * MINUTES);

  it(
    'breaks no stream and refuses no request',
    async () => {
      const streams = stack.load();
      await streams.keep(20, SHORT_S);
      await streams.keep(20, LONG_S);
      await pause(10_000);
      const services = ['keys-service', 'deployments-service', 'console', 'gateway-1', 'gateway-2', 'worker'];
      for (const service of services) {
        const from = performance.now();
        await stack.roll(service);
        report(`rolled ${service}`, { seconds: Math.round((performance.now() - from) / 1_000), ...streams.result });
      }
      const result = await streams.end();
      report('services', result);
      expect([result.broken, result.refused]).toEqual([[], []]);
      expect(result.complete).toBeGreaterThan(40);
    },
    20 * MINUTES,
  );

  it(
    'breaks no stream when NATS nodes leave by lame duck',
    async () => {
      const streams = stack.load();
      await streams.keep(40, SHORT_S);
      for (const node of ['nats-1', 'nats-2', 'nats-3']) await stack.rollNats(node);
      const result = await streams.end();
      report('NATS', result);
      if (result.broken.length > 0)
        for (const service of ['gateway-1', 'gateway-2', 'worker']) process.stdout.write(`${await stack.docker.warnings(service)}\n`);
      expect([result.broken, result.refused]).toEqual([[], []]);
    },
    10 * MINUTES,
  );

  it(
    'serves and counts requests while PostgreSQL is away',
    async () => {
      const streams = stack.load();
      await streams.keep(20, 2);
      await streams.keep(10, SHORT_S);
      await stack.docker.compose('stop', 'postgres');
      // It has no database to come up with until PostgreSQL is back.
      await stack.docker.compose('restart', 'keys-service');
      await pause(30_000);
      const refused = await stack.docker.cli('keys', 'create', 'second').catch((error: unknown) => String(error));
      await stack.docker.compose('start', 'postgres');
      await stack.docker.whenReady('postgres');
      await stack.docker.whenReady('keys-service', 2 * MINUTES);
      await pause(5_000);
      const result = await streams.end();
      report('PostgreSQL away', { ...result, refused });
      expect([result.broken, result.refused]).toEqual([[], []]);
      expect(refused).toMatch(/does not answer|unavailable|try again|nobody/i);
      await until(
        'changes are taken again',
        async () => /svc_dep_/.test(await stack.docker.cli('keys', 'create', 'third').catch(() => '')),
        MINUTES,
      );
      const ledger = { answered: stack.answered, counted: await stack.counted() };
      report('ledger', ledger);
      expect(ledger.counted).toBe(ledger.answered);
    },
    10 * MINUTES,
  );

  it(
    'counts what was answered though all NATS disks are lost',
    async () => {
      for (let times = 1; times <= 3; times += 1) {
        const requests = stack.load();
        await requests.keep(20, 1);
        await pause(5_000);
        await stack.docker.loseNatsDisks();
        await stack.docker.up();
        // Those that were under way are lost with NATS, and counted as such.
        await until('requests are answered again', async () => {
          const before = requests.result.complete;
          await pause(1_000);
          return requests.result.complete > before + 10;
        });
        const { complete, broken, refused } = await requests.end();
        const ledger = { answered: stack.answered, counted: await stack.counted() };
        report('all NATS disks lost', { complete, broken: broken.length, refused: refused.length, ...ledger });
        expect(ledger.counted).toBe(ledger.answered);
      }
    },
    10 * MINUTES,
  );

  it(
    'restores a backup beside running streams',
    async () => {
      const streams = stack.load();
      await streams.keep(10, 2);
      await streams.keep(20, LONG_S);
      const run = async (...args: string[]): Promise<string> =>
        (await stack.docker.compose('run', '--rm', '--no-TTY', 'backup', ...args)).output;
      const archive = /\/backups\/\S+\.tar/.exec(await run())?.[0] ?? '';
      const late = /svc_dep_[A-Za-z0-9]+/.exec(await stack.docker.cli('keys', 'create', 'late'))?.[0];
      expect(late).toBeDefined();
      await stack.docker.compose('stop', 'keys-service', 'deployments-service');
      const restored = await run('restore', archive, '--replace');
      await stack.docker.compose('start', 'keys-service', 'deployments-service');
      for (const service of ['keys-service', 'deployments-service']) await stack.docker.whenReady(service);
      await pause(10_000);
      const result = await streams.end();
      report('restored', { ...result, restored });
      expect([result.broken, result.refused]).toEqual([[], []]);
      expect(await stack.docker.cli('keys', 'list')).not.toContain('late');
    },
    10 * MINUTES,
  );

  it(
    'drains a gateway as long as its streams last',
    async () => {
      const streams = stack.load();
      const [gateway] = stack.docker.gateways;
      const asked = Array.from({ length: 200 }, () => streams.ask(20, gateway));
      await pause(5_000);
      const from = performance.now();
      const stopping = stack.docker.compose('stop', 'gateway-1');
      await Promise.all(asked);
      const last = performance.now();
      await stopping;
      const result = await streams.end();
      report('gateway drained', { ...result, afterLastS: (performance.now() - last) / 1_000, totalS: (performance.now() - from) / 1_000 });
      expect([result.broken, result.refused, result.complete]).toEqual([[], [], 200]);
      await stack.docker.compose('start', 'gateway-1');
      await stack.docker.whenReady('gateway-1');
    },
    10 * MINUTES,
  );
});
