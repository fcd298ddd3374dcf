import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { endWithProcess } from '@slipway/testing';

/** How to start one container as a process of this machine. */
export interface ProcessPlan {
  readonly name: string;
  readonly command: readonly string[];
  /** Programs of this machine that the command runs. */
  readonly programs: readonly string[];
  /** Health check; empty where there is none. */
  readonly probe: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** `uid:gid`; used where this process may. */
  readonly user: string;
}

const PROBE_WITHIN_MS = 15_000;
const LOG_CHARACTERS = 4_000_000;

type Identity = { readonly uid: number; readonly gid: number } | object;

/** Under root the container's user is used, unless it cannot reach the programs of this machine. */
function identityOf({ user, programs }: ProcessPlan): Identity {
  const [uid = 0, gid = 0] = user.split(':').map(Number);
  if (process.getuid?.() !== 0 || uid === 0) return {};
  const reaches = spawnSync('sh', ['-c', 'for program; do command -v "$program" || exit 1; done', 'sh', ...programs], {
    uid,
    gid,
    cwd: '/',
  });
  return reaches.status === 0 ? { uid, gid } : {};
}

/** A container ends with its first process; what that one left behind would hold its output open. */
function endGroupOf({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // Nothing is left, which is the rule.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A container of the topology as a process of this machine. */
export class ComposedProcess {
  #child: ChildProcess | null = null;
  #exited: Promise<number | null> = Promise.resolve(null);
  #log = '';

  constructor(readonly plan: ProcessPlan) {}

  /** Its output so far. */
  get log(): string {
    return this.#log;
  }

  /** Undefined = not running. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get isRunning(): boolean {
    return this.#child !== null;
  }

  start(): void {
    const { command, cwd, environment } = this.plan;
    const [program = '', ...args] = command;
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    const child = spawn(program, args, { cwd, env: environment, stdio, detached: true, ...identityOf(this.plan) });
    this.#child = child;
    endWithProcess(child);
    child.once('exit', () => endGroupOf(child));
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (this.#log = (this.#log + text).slice(-LOG_CHARACTERS)));
    this.#exited = new Promise((resolve) => {
      child.once('error', (error) => (this.#log += `${error.message}\n`));
      child.once('close', (code) => {
        this.#child = null;
        resolve(code);
      });
    });
  }

  /** Resolves with the exit code; null after a signal. */
  end(): Promise<number | null> {
    return this.#exited;
  }

  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    this.#child?.kill(signal);
    return this.#exited;
  }

  /** True when the container's health check succeeds. */
  async isHealthy(): Promise<boolean> {
    const { probe, cwd, environment } = this.plan;
    const [program = '', ...args] = probe;
    if (!this.isRunning || program === '') return false;
    return new Promise((resolve) => {
      const child = spawn(program, args, { cwd, env: environment, stdio: 'ignore', timeout: PROBE_WITHIN_MS, ...identityOf(this.plan) });
      child.once('error', () => resolve(false));
      child.once('close', (code) => resolve(code === 0));
    });
  }
}
