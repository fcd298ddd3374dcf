import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, statSync } from 'node:fs';
import { clearStalePostgres, type postgresCommand } from '../../../scripts/lib/postgres.mjs';
import { sessionMembers } from '../../../scripts/lib/process-identity.mjs';
import type { Progress } from '../../../scripts/lib/progress.mjs';
import { openLog, tailOf, trimLog } from './process-log.js';
import { type RunRecords, signal } from './run-records.js';

type User = ReturnType<typeof postgresCommand>['user'];
type PostgresHome = Parameters<typeof clearStalePostgres>[0];

/** How a process is started and stopped; plain data, since another thread sends it. */
export interface ProcessSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** Null or absent: the launcher's own user. */
  readonly user?: User;
  /** Processes of a higher tier are stopped first. */
  readonly tier: number;
  /** True if others need it for a graceful stop: the next launcher ends it last. */
  readonly base?: boolean;
  /** Default: SIGTERM. */
  readonly stopSignal?: 'SIGINT';
  /** Time of a graceful stop, in milliseconds. */
  readonly stopWithinMs: number;
  /** Signal after that time. Default: SIGKILL. */
  readonly forceSignal?: 'SIGQUIT';
  /** Folder of a PostgreSQL server, in which what a crashed one left is removed before each restart. */
  readonly postgres?: PostgresHome;
}

/** What a process uses of its supervisor. */
export interface ProcessContext {
  readonly records: RunRecords;
  readonly progress: Progress;
  readonly logPath: string;
  /** Called when the process ends before the launcher is ready. */
  readonly failed: (text: string) => void;
}

/** Run time after which the restart delay is reset, in milliseconds. */
const HEALTHY_AFTER_MS = 30_000;
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 10_000;
/** Time in which the children of a dead process may end by themselves, in milliseconds. */
const ORPHAN_GRACE_MS = 5_000;
/** How long the exit of a killed process is awaited, in milliseconds. */
const KILLED_WITHIN_MS = 1_000;

/** A child process in its own session, which is restarted when it ends. */
export class SupervisedProcess {
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #startedAt = 0;
  #logStart = 0;
  #failures = 0;
  #supervised = false;
  #stopping = false;
  #retry: NodeJS.Timeout | undefined;
  /** Sessions of dead processes whose children may still run. */
  readonly #orphanedSessions = new Set<number>();

  constructor(
    readonly spec: ProcessSpec,
    private readonly context: ProcessContext,
  ) {}

  /** Null while it is down. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Spawns the process. Failures are reported by `ProcessContext.failed` or by readiness checks. */
  start(): void {
    if (this.#stopping) return;
    const { command, args, cwd, env, user } = this.spec;
    const log = openLog(this.context.logPath);
    this.#logStart = statSync(this.context.logPath).size;
    this.#startedAt = Date.now();
    const child = spawn(command, args, { cwd, env, ...user, detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    this.#child = child;
    this.#exited = new Promise((resolve) => {
      child.once('exit', (code, signalName) => {
        this.#onExit(signalName ? `signal ${signalName}` : `code ${code}`);
        resolve();
      });
      child.once('error', (error) => {
        if (child.pid !== undefined) return;
        this.#onExit(error.message);
        resolve();
      });
    });
    if (child.pid === undefined) return;
    const { name, stopSignal = 'SIGTERM', base = false } = this.spec;
    this.context.records.add({ name, pid: child.pid, signal: stopSignal, base });
  }

  /** From now on the process is restarted when it ends, instead of failing the start. */
  supervise(): void {
    this.#supervised = true;
  }

  trimLog(): void {
    trimLog(this.context.logPath);
  }

  /** Stops the process and its children: gracefully within its time, then by force. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#retry);
    const pid = this.pid;
    if (pid !== null) {
      signal(pid, this.spec.stopSignal ?? 'SIGTERM');
      await this.#exitedWithin(this.spec.stopWithinMs);
    }
    await this.kill();
  }

  /** Kills the process and its children. */
  async kill(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#retry);
    const pid = this.pid;
    if (pid !== null) {
      this.#orphanedSessions.add(pid);
      if (this.spec.forceSignal) {
        signal(pid, this.spec.forceSignal);
        await this.#exitedWithin(KILLED_WITHIN_MS);
      }
    }
    for (const leader of this.#orphanedSessions) this.#killSession(leader);
    await this.#exitedWithin(KILLED_WITHIN_MS);
    this.context.records.remove(this.spec.name);
  }

  #onExit(how: string): void {
    const pid = this.pid;
    this.#child = undefined;
    if (pid !== null) this.#orphanedSessions.add(pid);
    if (this.#stopping) return;
    const { name } = this.spec;
    if (!this.#supervised) {
      this.context.failed(
        `${name} ended with ${how} during the start. From ${this.context.logPath}:\n${tailOf(this.context.logPath, this.#logStart)}`,
      );
      return;
    }
    if (Date.now() - this.#startedAt > HEALTHY_AFTER_MS) this.#failures = 0;
    const wait = this.#failures === 0 ? 0 : Math.min(FIRST_BACKOFF_MS * 2 ** (this.#failures - 1), LONGEST_BACKOFF_MS);
    this.#failures += 1;
    this.context.progress.note(
      `${name} ended with ${how}; restarting it${wait > 0 ? ` in ${wait / 1000} s (log: ${this.context.logPath})` : ''}.`,
    );
    if (pid !== null) setTimeout(() => this.#killOrphans(pid), ORPHAN_GRACE_MS).unref();
    this.#retry = setTimeout(() => void this.#startAgain(), wait);
  }

  async #startAgain(): Promise<void> {
    try {
      if (this.spec.postgres) await clearStalePostgres(this.spec.postgres);
      this.start();
    } catch (error) {
      this.context.progress.note(`${this.spec.name} cannot be started: ${error instanceof Error ? error.message : String(error)}`);
      this.#retry = setTimeout(() => void this.#startAgain(), LONGEST_BACKOFF_MS);
    }
  }

  #killOrphans(leader: number): void {
    this.#killSession(leader);
    this.#orphanedSessions.delete(leader);
  }

  #killSession(leader: number): void {
    for (const pid of sessionMembers(leader)) signal(pid, 'SIGKILL');
  }

  async #exitedWithin(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([this.#exited, timeout]);
    clearTimeout(timer);
  }
}
