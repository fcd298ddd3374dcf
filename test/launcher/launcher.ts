import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@slipway/testing';
import { isAlive } from '../testing/is-alive.js';
import { until } from '../testing/until.js';

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

const READY_WITHIN_MS = 120_000;
const ENDS_WITHIN_MS = 20_000;

/** What `--json` prints. */
export interface Ready {
  readonly base_url: string;
  readonly deployment: string;
  readonly alias: string;
  readonly key: string | null;
  readonly gateways: string[];
  readonly console_url: string;
  readonly setup_url: string | null;
  readonly processes: { readonly name: string; readonly pid: number }[];
}

export interface StartOptions {
  /** The repository, or a copy of it. */
  readonly root?: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** Words before `node`, such as `setpriv …`. */
  readonly wrapper?: readonly string[];
  /** Called as people call it. */
  readonly byNpm?: boolean;
}

/** One run of `node scripts/start.mjs`. */
export class Launcher {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly #closed: Promise<unknown>;

  constructor(args: readonly string[], { root = REPOSITORY, environment = {}, wrapper = [], byNpm = false }: StartOptions = {}) {
    const start = byNpm ? ['npm', 'start', '--'] : [process.execPath, join(root, 'scripts/start.mjs')];
    const [command = process.execPath, ...rest] = [...wrapper, ...start, ...args];
    // Variables of a test run started by npm would count as options that npm swallowed.
    const inherited = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith('npm_config_') && name !== 'INIT_CWD'),
    );
    this.child = spawn(command, rest, { cwd: root, env: { ...inherited, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.#closed = once(this.child, 'close');
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Waits for the end, and returns the exit code; null after a signal. */
  async ended(withinMs = ENDS_WITHIN_MS): Promise<number | null> {
    const timeout = new AbortController();
    const late = delay(withinMs, undefined, { signal: timeout.signal }).then(() => {
      throw new Error(`The launcher still runs after ${withinMs} ms:\n${this.stderr}`);
    });
    try {
      await Promise.race([this.#closed, late]);
      return this.child.exitCode;
    } finally {
      timeout.abort();
      late.catch(() => undefined);
    }
  }

  /** Waits until stdout holds what `pattern` wants. */
  async printed(pattern: RegExp, withinMs = READY_WITHIN_MS): Promise<string> {
    await eventually(() => {
      if (this.child.exitCode !== null) throw new Error(`The launcher ended with ${this.child.exitCode}:\n${this.stderr}`);
      return pattern.test(this.stdout);
    }, withinMs);
    return this.stdout;
  }

  /** Waits for the line of `--json`. */
  async ready(withinMs = READY_WITHIN_MS): Promise<Ready> {
    return JSON.parse(await this.printed(/\n$/, withinMs)) as Ready;
  }

  /** Ends it in good order, whatever state it is in. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGTERM');
    try {
      await this.ended();
    } finally {
      this.child.kill('SIGKILL');
    }
  }
}

/** Polls until `check` holds. */
export async function eventually(check: () => boolean | Promise<boolean>, withinMs = 15_000): Promise<void> {
  await until(check.toString(), check, withinMs, 50);
}

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

export const temporaryFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'slipway-launcher-'));
export const removeFolder = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 5 });

function mentions(pid: string, text: string): boolean {
  try {
    return ['cmdline', 'environ'].some((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(text)) && isAlive(Number(pid));
  } catch {
    return false;
  }
}

/** Command lines of the processes that have to do with a data directory. */
export function processesOf(dataDir: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && mentions(name, dataDir))
    .map((pid) => `${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`);
}

/** One streamed chat completion; returns its text, and throws unless it ended well. `url` ends in `/{deployment or alias}/v1`. */
export async function chat(url: string, key: string): Promise<string> {
  const model = url.split('/').at(-2);
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hello!' }] }),
  });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${body}`);
  return textOfStream(body);
}

/** The text of a streamed answer. */
export function textOfStream(body: string): string {
  const frames = body.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
  if (frames.at(-1) !== '[DONE]') throw new Error(`The stream has no good end: ${body.slice(-300)}`);
  const chunks = frames.slice(0, -1).map((frame) => JSON.parse(frame) as { choices: { delta: { content?: string } }[] });
  return chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
}
