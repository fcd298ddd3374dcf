import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '@slipway/platform';
import { TestNatsServer } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp } from '../../services/service-in-process.js';

const SERVICES = ['gateway', 'keys-service', 'deployments-service', 'inference-worker'] as const;
type Service = (typeof SERVICES)[number];

const SECRET = 'hunter2hunter2';
const PEPPERS = `p1:${'ab'.repeat(32)}`;
/** Minimal settings of each service. Nothing answers at these addresses. */
const GOOD: Record<Service, Record<string, string>> = {
  gateway: { KEY_PEPPERS: PEPPERS, PORT: '0' },
  'keys-service': { KEY_PEPPERS: PEPPERS, SLIPWAY_SECRET_KEY: 'cd'.repeat(32), DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
  'deployments-service': { SLIPWAY_SECRET_KEY: 'cd'.repeat(32), DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
  'inference-worker': {},
};

interface Ended {
  readonly code: number | null;
  readonly output: string;
  /** The reported problems, one per line. */
  readonly problems: string[];
}

/** Runs a service until it ends; one that does not end is killed and has no exit code. */
const run = (service: Service, environment: Record<string, string>): Promise<Ended> =>
  runMain(`${service}/dist/main.js`, service, environment);

async function runMain(app: string, service: Service, environment: Record<string, string>): Promise<Ended> {
  const main = fileURLToPath(new URL(`../../../apps/${app}`, import.meta.url));
  const env = { PATH: process.env['PATH'] ?? '', NATS_URL: 'nats://127.0.0.1:1', DRAIN_MS: '1000', ...environment };
  const child = spawn(process.execPath, [main], { env, cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  const said = `${service}: The configuration is wrong. `;
  const problems = output.split('\n').flatMap((line) => (line.startsWith(said) ? [line.slice(said.length)] : []));
  return { code, output, problems };
}

/** The reported problems of a service that is started in this process; none when it starts. */
async function problemsOf(service: Service, environment: Record<string, string>): Promise<readonly string[]> {
  try {
    const started = await startApp(service, { NATS_URL: 'nats://127.0.0.1:1', DRAIN_MS: '1000', ...environment }, () => undefined);
    await started.stop();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

/** Checks that these variables are named in one line each, and that no secret is shown. */
function expectProblems(problems: readonly string[], variables: readonly string[]): void {
  expect(problems.map((problem) => problem.split(':')[0])).toEqual(variables);
  for (const problem of problems) expect(problem).toMatch(/^\S.*: \S.{5,}$/);
  expectTidy(problems.join('\n'));
}

/** Checks that it fails, names these variables in one line each, and shows neither a stack nor a secret. */
function expectRefused({ code, output, problems }: Ended, variables: readonly string[]): void {
  expect(code).toBe(1);
  expectProblems(problems, variables);
  expectTidy(output);
}

function expectTidy(output: string): void {
  expect(output).not.toMatch(/^ +at |\\n +at |Node\.js v\d|node:internal|\.js:\d/m);
  for (const secret of [SECRET, PEPPERS.slice(3), 'cd'.repeat(32)]) expect(output).not.toContain(secret);
}

describe('a service without settings', () => {
  it('names a missing setting and ends', async () => {
    const ended = await run('gateway', {});
    expectRefused(ended, ['KEY_PEPPERS']);
    expect(ended.problems[0]).toContain('is not set');
  });

  it('names all of its missing settings', async () => {
    const problems = await problemsOf('keys-service', {});
    expectProblems(problems.toSorted(), ['DATABASE_URL', 'KEY_PEPPERS', 'SLIPWAY_SECRET_KEY']);
    for (const problem of problems) expect(problem).toContain('is not set');
  });
});

describe('a service with invalid settings', () => {
  const WRONG: [Service, Record<string, string>][] = [
    ['gateway', { KEY_PEPPERS: `p1:${SECRET}`, PORT: '-1', NATS_URL: 'not an address', OPS_PORT: 'eighty' }],
    ['keys-service', { KEY_PEPPERS: SECRET, DATABASE_URL: `mysql://root:${SECRET}@127.0.0.1/x`, LOG_LEVEL: SECRET }],
    ['keys-service', { KEYS_DATABASE_URL: `root:${SECRET}@127.0.0.1`, SLIPWAY_ENV: 'Prod!' }],
    ['deployments-service', { SLIPWAY_SECRET_KEY: SECRET, OPS_PORT: '70000', DRAIN_MS: '-1' }],
    ['deployments-service', { MODEL_DIRS: 'relative', ENGINE_HOSTS: 'http://x' }],
    ['deployments-service', { DATABASE_URL: `mysql://root:${SECRET}@127.0.0.1/x` }],
    ['inference-worker', { GPU: 'both', NATS_URL: 'http://127.0.0.1:4222', DRAIN_MS: 'soon' }],
  ];

  it.each(WRONG)('names every fault: %s %j', async (service, wrong) => {
    const problems = await problemsOf(service, { ...GOOD[service], ...wrong });
    expectProblems(problems.toSorted(), Object.keys(wrong).toSorted());
  });

  it('names missing and invalid settings', async () => {
    const problems = await problemsOf('keys-service', { KEY_PEPPERS: PEPPERS, LOG_LEVEL: 'loud' });
    expectProblems(problems, ['LOG_LEVEL', 'SLIPWAY_SECRET_KEY', 'DATABASE_URL']);
  });
});

describe('services that share a process', () => {
  const runBoth = (keys: Record<string, string>): Promise<Ended> => {
    const services = { 'deployments-service': GOOD['deployments-service'], 'keys-service': { ...GOOD['keys-service'], ...keys } };
    return runMain('launcher/dist/control-plane-main.js', 'keys-service', { SERVICES: JSON.stringify(services) });
  };

  it('ends for a wrong setting of one', async () => {
    expectRefused(await runBoth({ LOG_LEVEL: 'loud' }), ['LOG_LEVEL']);
  });

  it('ends when one of them cannot start', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    try {
      const { code, output } = await runBoth({ NATS_URL: 'nats://127.0.0.1:1', OPS_PORT: String(port) });
      expect(code).toBe(1);
      expect(output).toContain(`address already in use 127.0.0.1:${port}`);
      expectTidy(output);
    } finally {
      taken.close();
    }
  });
});

describe('a service with unusable settings', () => {
  let folder: string;
  let nats: TestNatsServer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-credentials-'));
    nats = await TestNatsServer.start({ config: 'authorization { user: keys, password: right }' });
  });
  afterAll(async () => {
    await nats.end();
    await rm(folder, { recursive: true, force: true });
  });

  it('reports malformed credentials', async () => {
    expectProblems(await problemsOf('gateway', { ...GOOD.gateway, NATS_CREDENTIALS_DIR: '/nowhere' }), ['NATS_CREDENTIALS_DIR']);
    await writeFile(join(folder, 'keys.json'), `{"user": "keys", "pass": "${SECRET}"}`);
    expectProblems(await problemsOf('keys-service', { ...GOOD['keys-service'], NATS_CREDENTIALS_DIR: folder }), ['NATS_CREDENTIALS_DIR']);
  });

  it('reports credentials that NATS refuses', async () => {
    await writeFile(join(folder, 'keys.json'), JSON.stringify({ user: 'keys', password: SECRET }));
    const refused = await problemsOf('keys-service', { ...GOOD['keys-service'], NATS_CREDENTIALS_DIR: folder, NATS_URL: nats.url });
    expectProblems(refused, ['NATS_CREDENTIALS_DIR']);
    expect(refused[0]).toContain('refuses the credentials of keys');
    const without = await problemsOf('inference-worker', { NATS_URL: nats.url });
    expectProblems(without, ['NATS_CREDENTIALS_DIR']);
    expect(without[0]).toContain('is not set');
  });
});
