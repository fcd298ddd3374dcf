import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePorts } from '@slipway/testing';
import { isAlive } from '../../testing/is-alive.js';
import { DEMO_MODEL } from '../demo-engine.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const llama = join(root, 'node_modules/node-llama-cpp/llama');
const home = join(root, '.cache/llama-server');
const stamp = join(home, 'built.txt');
/** Names the process that builds: two test files need the binary. */
const lock = `${home}.lock`;
/** Path of the binary, once it is built. */
export const LLAMA_SERVER = join(home, 'build/bin/llama-server');

/** Longest build that was seen was 8 minutes on two cores, in milliseconds. */
export const BUILD_MS = 45 * 60_000;
const START_MS = 60_000;

/** Without the web page and TLS, and for every x64 or arm64 machine that may share the folder. */
const FLAGS = [
  '-DCMAKE_BUILD_TYPE=Release',
  '-DGGML_NATIVE=OFF',
  '-DLLAMA_BUILD_TESTS=OFF',
  '-DLLAMA_BUILD_EXAMPLES=OFF',
  '-DLLAMA_BUILD_APP=OFF',
  '-DLLAMA_BUILD_UI=OFF',
  '-DLLAMA_USE_PREBUILT_UI=OFF',
  '-DLLAMA_OPENSSL=OFF',
];

/** Whether this machine can build C++ at all. */
export function canBuild(): boolean {
  if (existsSync(stamp)) return true;
  try {
    for (const tool of ['git', 'cmake', 'make', 'c++']) execFileSync(tool, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Builds llama-server from the source that came with the llama.cpp package; kept in `.cache` until that package changes. */
export async function buildLlamaServer(): Promise<void> {
  mkdirSync(dirname(lock), { recursive: true });
  while (!takeLock()) await sleep(500);
  try {
    await build();
  } finally {
    rmSync(lock);
  }
}

/** Whether no other process builds it, and this one may. */
function takeLock(): boolean {
  try {
    writeFileSync(lock, `${process.pid}`, { flag: 'wx' });
    return true;
  } catch {
    const holder = readLock();
    if (holder !== null && !isAlive(holder)) rmSync(lock, { force: true });
    return false;
  }
}

/** The process that holds the lock; null = none, or it is not written yet. */
function readLock(): number | null {
  try {
    return Number(readFileSync(lock, 'utf8')) || null;
  } catch {
    return null;
  }
}

async function build(): Promise<void> {
  const version = readFileSync(join(llama, 'llama.cpp.info.json'), 'utf8').trim();
  if (existsSync(stamp) && existsSync(LLAMA_SERVER) && readFileSync(stamp, 'utf8') === version) return;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const options = { cwd: home, maxBuffer: 64 * 1024 * 1024 };
  await run('git', ['clone', '--quiet', join(llama, 'gitRelease.bundle'), 'source'], options);
  await run('cmake', ['-S', 'source', '-B', 'build', ...FLAGS], options);
  await run('nice', ['cmake', '--build', 'build', '--target', 'llama-server', '-j', '2'], options);
  writeFileSync(stamp, version);
}

/** A llama-server with the demo model, two slots of its whole context each. */
export class LlamaServer {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(): Promise<LlamaServer> {
    const [port] = await freePorts(1);
    const child = spawn(LLAMA_SERVER, ['-m', DEMO_MODEL, '--host', '127.0.0.1', '--port', `${port}`, '-t', '1', '-np', '2', '-c', '2048'], {
      stdio: 'ignore',
    });
    const server = new LlamaServer(child, `http://127.0.0.1:${port}`);
    const deadline = performance.now() + START_MS;
    while (!(await server.#answers())) {
      if (child.exitCode !== null || performance.now() > deadline) {
        await server.kill();
        throw new Error(`llama-server did not start (exit code ${child.exitCode}).`);
      }
      await sleep(50);
    }
    return server;
  }

  /** Slots that generate now. */
  async busy(): Promise<number> {
    const slots = (await (await fetch(`${this.url}/slots`)).json()) as { is_processing: boolean }[];
    return slots.filter((slot) => slot.is_processing).length;
  }

  /** Ends it at once; repeating it is harmless. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = new Promise((resolve) => {
      this.child.once('exit', resolve);
    });
    this.child.kill('SIGKILL');
    await gone;
  }

  async #answers(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/health`)).ok;
    } catch {
      return false;
    }
  }
}
