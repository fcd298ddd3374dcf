import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { dockerMissing, DockerStack } from '../docker-stack.js';
import { startSlowEngine, StreamLoad } from '../stream-load.js';

const missing = dockerMissing();
if (missing !== null) process.stdout.write(`The compose file is not rolled here: ${missing}.\n`);
const SHORT_S = 6;
/** Less than DRAIN_MS: a stream that is longer than the drain of its worker ends with an error event. */
const LONG_S = 40;
const PATH = '/local/slow/v1/chat/completions';
const MINUTES = 60_000;

let stack: DockerStack;
let engine: Server;
let key: string;
const loads: StreamLoad[] = [];
const load = (): StreamLoad => {
  const one = new StreamLoad(stack.gateways, PATH, key);
  loads.push(one);
  return one;
};

/** What a run found, for the log of the run. */
const report = (what: string, found: object): void => void process.stdout.write(`${what}: ${JSON.stringify(found)}\n`);

async function start(): Promise<void> {
  const [port = 0] = await freePorts(1);
  engine = await startSlowEngine(port);
  stack = await DockerStack.lay({ ENGINE_HOSTS: `host.docker.internal:${port}` });
  await stack.up();
  await stack.cli('accounts', 'create', 'local');
  const upstream = ['--upstream', `http://host.docker.internal:${port}`, '--upstream-model', 'slow'];
  await stack.cli('deployments', 'create', ...upstream, '--replicas', '3', '--wait');
  await stack.cli('aliases', 'point', 'slow', 'deployment-1');
  key = /svc_dep_[A-Za-z0-9]+/.exec(await stack.cli('keys', 'create', 'first'))?.[0] ?? '';
  for (const gateway of stack.gateways) {
    const one = load();
    await until(`${gateway} answers`, async () => (await one.ask(1, gateway), one.result.complete > 0), 60_000, 500);
  }
}

/** Restarts the containers of a service one after the other, each once the one before is ready. */
async function roll(service: string): Promise<void> {
  for (const id of await stack.containers(service)) {
    await stack.docker('restart', '--time', '330', id);
    await stack.whenReady(service, 2 * MINUTES);
  }
}

describe.skipIf(missing !== null)('rolling the stack of docker-compose.yml', () => {
  beforeAll(start, 40 * MINUTES);
  afterAll(async () => {
    await Promise.all(loads.map((one) => one.end()));
    engine?.close();
    await stack?.remove();
  }, 10 * MINUTES);

  it(
    'breaks no stream and refuses no request',
    async () => {
      const streams = load();
      await streams.keep(20, SHORT_S);
      await streams.keep(20, LONG_S);
      await pause(10_000);
      const services = ['keys-service', 'deployments-service', 'console', 'gateway-1', 'gateway-2', 'worker'];
      for (const service of services) {
        const from = performance.now();
        await roll(service);
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
      const streams = load();
      await streams.keep(40, SHORT_S);
      for (const node of ['nats-1', 'nats-2', 'nats-3']) {
        const [id = ''] = await stack.containers(node);
        // Lame duck: clients leave within half a minute, then the server ends, and its container starts again. `docker kill` would
        // keep it from that.
        await stack.docker('exec', id, 'sh', '-c', 'kill -USR2 $(pidof nats-server)');
        const ended = async (): Promise<boolean> => Number((await stack.docker('inspect', '--format', '{{.RestartCount}}', id)).output) > 0;
        await until(`${node} has started again`, ended, 2 * MINUTES, 500);
        await stack.whenReady(node);
      }
      const result = await streams.end();
      report('NATS', result);
      expect([result.broken, result.refused]).toEqual([[], []]);
    },
    10 * MINUTES,
  );

  it(
    'serves requests while PostgreSQL is away',
    async () => {
      const streams = load();
      await streams.keep(20, 2);
      await stack.compose('stop', 'postgres');
      await pause(30_000);
      const refused = await stack.cli('keys', 'create', 'second').catch((error: unknown) => String(error));
      await stack.compose('start', 'postgres');
      await stack.whenReady('postgres');
      const result = await streams.end();
      report('PostgreSQL away', { ...result, refused, refusals: result.refused });
      expect([result.broken, result.refused]).toEqual([[], []]);
      expect(refused).toMatch(/does not answer|unavailable|try again/i);
      await until(
        'changes are taken again',
        async () => /svc_dep_/.test(await stack.cli('keys', 'create', 'third').catch(() => '')),
        MINUTES,
        1_000,
      );
    },
    10 * MINUTES,
  );

  it(
    'drains a gateway as long as its streams last',
    async () => {
      const streams = load();
      const [gateway] = stack.gateways;
      const asked = Array.from({ length: 200 }, () => streams.ask(20, gateway));
      await pause(5_000);
      const from = performance.now();
      const stopping = stack.compose('stop', 'gateway-1');
      await Promise.all(asked);
      const last = performance.now();
      await stopping;
      const result = await streams.end();
      report('gateway drained', { ...result, afterLastS: (performance.now() - last) / 1_000, totalS: (performance.now() - from) / 1_000 });
      expect([result.broken, result.refused, result.complete]).toEqual([[], [], 200]);
      await stack.compose('start', 'gateway-1');
      await stack.whenReady('gateway-1');
    },
    10 * MINUTES,
  );
});
