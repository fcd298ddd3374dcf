import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PEPPERS = `p1:${'ab'.repeat(32)}`;
const SECRET = 'cd'.repeat(32);
const PASSWORD = 'hunter2hunter2';
const DATABASE = { SLIPWAY_SECRET_KEY: SECRET, DATABASE_URL: `postgres://nobody:${PASSWORD}@127.0.0.1:1/none` };

/** Settings with which each process starts. */
const GOOD: Readonly<Record<string, Record<string, string>>> = {
  gateway: { KEY_PEPPERS: PEPPERS },
  'keys-service': { KEY_PEPPERS: PEPPERS, ...DATABASE },
  'deployments-service': DATABASE,
  'tuning-service': DATABASE,
  console: {},
  'inference-worker': {},
  'training-worker': {},
};

let folder: string;
let listener: Server;
let connections = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-check-'));
  for (const role of ['gateway', 'keys', 'deployments', 'tuning', 'console', 'join', 'trainer']) {
    await writeFile(join(folder, `${role}.json`), JSON.stringify({ user: role, password: PASSWORD }));
  }
  listener = createServer(() => (connections += 1)).listen(0, '127.0.0.1');
  await once(listener, 'listening');
});
afterAll(async () => {
  listener.close();
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly faults: string[];
}

async function check(app: string, environment: Record<string, string>): Promise<Ended> {
  const main = fileURLToPath(new URL(`../../apps/${app}/dist/main.js`, import.meta.url));
  const env = { PATH: process.env['PATH'], ...environment };
  const child = spawn(process.execPath, [main, '--check'], { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (text: Buffer) => (output.stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (output.stderr += text.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  for (const secret of [PASSWORD, SECRET, PEPPERS.slice(3)]) expect(output.stdout + output.stderr).not.toContain(secret);
  const said = `${app}: The configuration is wrong. `;
  return { code, stdout: output.stdout, faults: output.stderr.split('\n').flatMap((line) => (line ? [line.replace(said, '')] : [])) };
}

describe('--check', () => {
  it.each(Object.keys(GOOD))('accepts a right configuration and opens nothing: %s', async (app) => {
    const { port } = listener.address() as AddressInfo;
    const taken = { NATS_URL: `nats://127.0.0.1:${port}`, OPS_PORT: String(port), NATS_CREDENTIALS_DIR: folder };
    const ended = await check(app, { ...GOOD[app], ...taken });
    expect(ended).toEqual({ code: 0, stdout: `${app}: The configuration is right.\n`, faults: [] });
    expect(connections).toBe(0);
  });

  it.each(Object.keys(GOOD))('names every fault of a broken environment: %s', async (app) => {
    const broken = { NATS_URL: 'not an address', OPS_PORT: 'eighty', NATS_CA: join(folder, 'none.pem'), NATS_CREDENTIALS_DIR: '/nowhere' };
    const { code, stdout, faults } = await check(app, { ...GOOD[app], ...broken });
    expect([code, stdout]).toEqual([2, '']);
    expect(faults.map((fault) => fault.split(':', 1).join('')).toSorted()).toEqual(Object.keys(broken).toSorted());
  });

  it('names a file in the address of the database', async () => {
    const url = `${DATABASE.DATABASE_URL}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`;
    const { code, faults } = await check('keys-service', { ...GOOD['keys-service'], DATABASE_URL: url });
    expect([code, faults]).toEqual([2, [expect.stringContaining('sslrootcert /nowhere/ca.pem cannot be read')]]);
  });
});
