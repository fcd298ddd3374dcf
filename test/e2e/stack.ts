import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@slipway/testing';

const root = fileURLToPath(new URL('../..', import.meta.url));
const START_MS = 180_000;

/** What `npm start -- --json` prints once it is ready. */
export interface Ready {
  base_url: string;
  deployment: string;
  alias: string;
  key: string | null;
  processes: { name: string; pid: number }[];
  gateways: string[];
  console_url: string;
  setup_url: string | null;
}

/** A complete Slipway, started by `npm start`. */
export interface Stack extends Ready {
  dataDir: string;
  stop(): Promise<number | null>;
}

function firstLine(child: ChildProcess, errors: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The launcher was not ready in time:\n${errors()}`)), START_MS);
    if (child.stdout) createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`The launcher ended with ${code}:\n${errors()}`)));
    child.once('exit', () => clearTimeout(timer));
    child.stdout?.once('data', () => clearTimeout(timer));
  });
}

/** Starts the launcher on a free port and an empty data folder and waits until it is ready. */
export async function startStack(options: string[] = [], environment: NodeJS.ProcessEnv = {}): Promise<Stack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-e2e-'));
  const [port = 0] = await freePorts(1);
  const args = ['scripts/start.mjs', '--json', '--port', String(port), '--data-dir', dataDir, ...options];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...environment } });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const stop = async (): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(dataDir, { recursive: true, force: true });
    return child.exitCode;
  };
  try {
    const ready = JSON.parse(await firstLine(child, () => errors)) as Ready;
    return { ...ready, dataDir, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
