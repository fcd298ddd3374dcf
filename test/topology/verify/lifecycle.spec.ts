import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { dockerMissing, DockerStack, LASTING } from '../docker-stack.js';

const missing = dockerMissing();
if (missing !== null) process.stdout.write(`The compose file does not run here: ${missing}.\n`);
const MINUTES = 60_000;
/** Time in which a restarted container answers by its own probe. */
const READY_MS = 30_000;
const KILLED_AFTER_MS = [1_000, 3_000, 6_000, 10_000, 15_000];
const report = (what: string, found: object): void => void process.stdout.write(`${what}: ${JSON.stringify(found)}\n`);

let stack: DockerStack;
let key = '';

async function answerAt(gateway: string): Promise<number> {
  const body = JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Who are you?' }], max_tokens: 4 });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${gateway}/local/demo/v1/chat/completions`, { method: 'POST', headers, body }).catch(() => null);
  await answer?.text();
  return answer?.status ?? 0;
}

async function whenServed(withinMs: number): Promise<void> {
  for (const gateway of stack.gateways) await until(`${gateway} answers`, async () => (await answerAt(gateway)) === 200, withinMs, 250);
}

/** Processes that use all the time that they get. Thirty of them, and what else runs, make a load of 30 after some minutes. */
function busyMachine(count: number): { end(): void } {
  const all = Array.from({ length: count }, () => spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }));
  const end = (): void => {
    for (const child of all) child.kill('SIGKILL');
  };
  process.once('exit', end);
  return { end };
}

/** Content, owner, mode and time of every file of the secrets. */
const stateOfSecrets = (): object =>
  Object.fromEntries(
    readdirSync(stack.secrets, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mtimeMs, ctimeMs, uid, mode } = statSync(path);
      const digest = entry.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : '';
      return [path, [mtimeMs, ctimeMs, uid, mode, digest]];
    }),
  );

describe.skipIf(missing !== null)('the life of the stack of docker-compose.yml', () => {
  beforeAll(async () => {
    stack = await DockerStack.lay();
  }, 40 * MINUTES);
  afterAll(() => stack?.remove(), 10 * MINUTES);

  it.each(KILLED_AFTER_MS)(
    'heals a first start that was killed after %i ms',
    async (ms) => {
      await stack.compose('down', '--volumes', '--timeout', '1');
      await stack.breakOffUp(ms);
      const { code, seconds } = await stack.up();
      report(`first start killed after ${ms} ms`, { upSeconds: seconds });
      expect(code).toBe(0);
    },
    10 * MINUTES,
  );

  it(
    'comes up twice, and again with its volumes',
    async () => {
      const [first, second] = [await stack.up(), await stack.up()];
      await stack.cli('accounts', 'create', 'local');
      await stack.cli('deployments', 'create', '--model', '/models/svc-tiny.Q8_0.gguf', '--replicas', '3', '--wait');
      await stack.cli('aliases', 'point', 'demo', 'deployment-1');
      key = /svc_dep_[A-Za-z0-9]+/.exec(await stack.cli('keys', 'create', 'first'))?.[0] ?? '';
      await whenServed(READY_MS);
      await stack.compose('down', '--timeout', '60');
      const third = await stack.up();
      await whenServed(READY_MS);
      expect([first.code, second.code, third.code]).toEqual([0, 0, 0]);
      report('up', { first: first.seconds, second: second.seconds, withVolumes: third.seconds });
    },
    10 * MINUTES,
  );

  it(
    'has every container ready soon after a restart',
    async () => {
      const seconds: Record<string, number> = {};
      for (const services of [...LASTING.map((one) => [one]), [...LASTING]]) {
        await stack.compose('restart', '--timeout', '60', ...services);
        const from = performance.now();
        for (const service of services) await stack.whenReady(service, READY_MS);
        await whenServed(READY_MS);
        seconds[services.length === 1 ? (services[0] ?? '') : 'all'] = Math.round((performance.now() - from) / 100) / 10;
      }
      report('ready after a restart', seconds);
      expect(Object.keys(seconds)).toEqual([...LASTING, 'all']);
    },
    20 * MINUTES,
  );

  it(
    'refuses no route between the nodes of NATS',
    async () => {
      for (const node of ['nats-1', 'nats-2', 'nats-3']) {
        const { output } = await stack.compose('logs', '--no-color', node);
        expect(output).toContain('Route connection created');
        expect([node, output.split('handshake error').length - 1]).toEqual([node, 0]);
      }
    },
    5 * MINUTES,
  );

  it(
    'runs commands without touching a secret file',
    async () => {
      const before = stateOfSecrets();
      expect(await stack.cli('keys', 'list')).toContain('first');
      expect(stateOfSecrets()).toEqual(before);
    },
    5 * MINUTES,
  );

  it(
    'spends little on its probes',
    async () => {
      const probes: Record<string, string> = {
        ...Object.fromEntries(['gateway-1', 'worker', 'keys-service'].map((name) => [name, 'bash /app/deploy/probe.sh'])),
        'nats-1': "wget -q -O /dev/null 'http://127.0.0.1:8222/healthz?js-server-only=true'",
        postgres: 'pg_isready -q -h 127.0.0.1 -U postgres',
      };
      let total = 0;
      const cost: Record<string, number> = {};
      for (const [service, probe] of Object.entries(probes)) {
        const script = `for i in 1 2 3 4 5 6 7 8 9 10; do ${probe}; done; times`;
        const { output } = await stack.compose('exec', '--no-TTY', service, 'bash', '-c', script);
        const spent = [...(output.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
        cost[service] = spent.reduce((sum, [, minutes, s]) => sum + Number(minutes) * 60 + Number(s), 0) / 10;
      }
      // Every 15 s in each of the containers; those of ours cost alike.
      const own = Math.max(cost['gateway-1'] ?? 0, cost['worker'] ?? 0, cost['keys-service'] ?? 0);
      total = (8 * own + 3 * (cost['nats-1'] ?? 0) + (cost['postgres'] ?? 0)) / 15;
      report('probes, seconds of CPU each, and cores in all', { ...cost, total });
      expect(total).toBeLessThan(0.02);
    },
    5 * MINUTES,
  );

  it(
    'has no unhealthy container at a load of 30',
    async () => {
      const failing = new Set<string>();
      const busy = busyMachine(32);
      try {
        await until('the load is 30', async () => (loadavg()[0] ?? 0) >= 30, 6 * MINUTES, 1_000);
        // A container is called unhealthy after three failures in a row, 15 s apart.
        const end = performance.now() + 2 * MINUTES;
        while (performance.now() < end) for (const each of await stack.unhealthy()) failing.add(each);
        report('at a load of 30', { load: loadavg()[0], failing: [...failing] });
      } finally {
        busy.end();
      }
      expect([...failing]).toEqual([]);
      await whenServed(READY_MS);
    },
    15 * MINUTES,
  );

  it(
    'serves after all NATS disks are lost',
    async () => {
      await stack.loseNatsDisks();
      const from = performance.now();
      await stack.up();
      await whenServed(READY_MS);
      const [id = ''] = await stack.containers('streams');
      const log = (await stack.docker('logs', id)).output;
      expect(log).toContain('with 3 copies');
      report('all NATS disks lost', { upSeconds: (performance.now() - from) / 1_000 });
    },
    10 * MINUTES,
  );

  it(
    'lets no foreign container reach NATS or PostgreSQL',
    async () => {
      const project = `slipway-test-${process.pid}`;
      const reaches = async (network: string, address: string): Promise<boolean> => {
        const [host = '', port] = address.split(':');
        const script = `timeout 3 bash -c 'exec 3<>/dev/tcp/${host}/${port}'`;
        const args = ['run', '--rm', '--network', network, '--entrypoint', 'bash', 'slipway', '-c', script];
        return stack.docker(...args).then(
          () => true,
          () => false,
        );
      };
      const addressOf = async (service: string, network: string): Promise<string> => {
        const [id = ''] = await stack.containers(service);
        const format = `{{(index .NetworkSettings.Networks "${project}_${network}").IPAddress}}`;
        return (await stack.docker('inspect', '--format', format, id)).output.trim();
      };
      const nats = `${await addressOf('nats-1', 'bus')}:4222`;
      const postgres = `${await addressOf('postgres', 'data')}:5432`;
      expect([await reaches(`${project}_bus`, nats), await reaches(`${project}_data`, postgres)]).toEqual([true, true]);
      const foreign: [string, string][] = [
        [`${project}_outside`, nats],
        [`${project}_outside`, postgres],
        [`${project}_bus`, postgres],
        [`${project}_data`, nats],
        ['bridge', nats],
        ['bridge', postgres],
      ];
      for (const [network, address] of foreign)
        expect([network, address, await reaches(network, address)]).toEqual([network, address, false]);
    },
    5 * MINUTES,
  );
});
