import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const PEPPERS = `p1:${'ab'.repeat(32)}`;
const SECRET = 'cd'.repeat(32);
const PASSWORD = 'hunter2hunter2';
const DATABASE = { SLIPWAY_SECRET_KEY: SECRET, DATABASE_URL: `postgres://nobody:${PASSWORD}@127.0.0.1:1/none` };

export const KEYS_SERVICE = { KEY_PEPPERS: PEPPERS, ...DATABASE };

/** Settings with which each process starts. */
const GOOD = {
  gateway: { KEY_PEPPERS: PEPPERS },
  'keys-service': KEYS_SERVICE,
  'deployments-service': DATABASE,
  'tuning-service': DATABASE,
  console: {},
  'inference-worker': {},
  'training-worker': {},
} satisfies Readonly<Record<string, Record<string, string>>>;

let folder: string;
let listener: Server;
let connections = 0;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly faults: string[];
}

export async function check(app: string, environment: Record<string, string>): Promise<Ended> {
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

/** Tests of `--check` of these processes, within a `describe`. */
export function itChecks(...apps: (keyof typeof GOOD)[]): void {
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

  it.each(apps)('accepts a right configuration and opens nothing: %s', async (app) => {
    const { port } = listener.address() as AddressInfo;
    const taken = { NATS_URL: `nats://127.0.0.1:${port}`, OPS_PORT: String(port), NATS_CREDENTIALS_DIR: folder };
    const ended = await check(app, { ...GOOD[app], ...taken });
    expect(ended).toEqual({ code: 0, stdout: `${app}: The configuration is right.\n`, faults: [] });
    expect(connections).toBe(0);
  });

  it.each(apps)('names every fault of a broken environment: %s', async (app) => {
    const broken = { NATS_URL: 'not an address', OPS_PORT: 'eighty', NATS_CA: join(folder, 'none.pem'), NATS_CREDENTIALS_DIR: '/nowhere' };
    const { code, stdout, faults } = await check(app, { ...GOOD[app], ...broken });
    expect([code, stdout]).toEqual([2, '']);
    expect(faults.map((fault) => fault.split(':', 1).join('')).toSorted()).toEqual(Object.keys(broken).toSorted());
  });
}
