import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OwnedProcess } from './owned-process.js';
import { type ProcessGroups, processTrees } from './process-figures.js';
import { waitUntil } from './wait-until.js';

const READY_WITHIN_MS = 180_000;
const STOPPED_WITHIN_MS = 20_000;

export interface SlipwayOptions {
  /** The repository. */
  readonly root: string;
  readonly dataDir: string;
  readonly port: number;
  /** The inference server that it serves; without one, the bundled model. */
  readonly upstreamPort?: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface Ready {
  readonly base_url: string;
  readonly alias: string;
  readonly key: string;
  readonly processes: readonly { readonly name: string; readonly pid: number }[];
}

/** A whole Slipway, started as `npm start` would: one gateway, one worker, the services, PostgreSQL and nats-server. */
export class Slipway {
  readonly #launcher: OwnedProcess;

  private constructor(
    private readonly options: SlipwayOptions,
    private readonly ready: Ready,
    launcher: OwnedProcess,
  ) {
    this.#launcher = launcher;
  }

  /** @param owned is called with the launcher as soon as there is a process to end */
  static async start(options: SlipwayOptions, owned: (launcher: OwnedProcess) => void): Promise<Slipway> {
    const { root, dataDir, port, upstreamPort, environment } = options;
    const upstream = upstreamPort === undefined ? [] : ['--upstream', `http://127.0.0.1:${upstreamPort}`, '--upstream-model', 'bench'];
    const launcher = new OwnedProcess({
      command: process.execPath,
      args: ['--optimize-for-size', join(root, 'scripts/start.mjs'), '--json', ...upstream, '--data-dir', dataDir, '--port', String(port)],
      cwd: root,
      env: environment,
      stopSignal: 'SIGTERM',
      stopWithinMs: STOPPED_WITHIN_MS,
    });
    owned(launcher);
    const line = await waitUntil('Slipway starts', READY_WITHIN_MS, () => {
      if (launcher.ended) throw new Error(`The launcher ended:\n${launcher.stderr}`);
      return launcher.stdout.endsWith('\n') ? launcher.stdout : null;
    });
    return new Slipway(options, JSON.parse(line) as Ready, launcher);
  }

  get key(): string {
    return this.ready.key;
  }

  get port(): number {
    return Number(new URL(this.ready.base_url).port);
  }

  get path(): string {
    return `/${this.ready.alias}/v1/chat/completions`;
  }

  /** What lies on the way of a request. */
  get groups(): ProcessGroups & Readonly<Record<'gateway' | 'worker' | 'nats', readonly number[]>> {
    return { gateway: [this.#pid('gateway-1')], worker: [this.#pid('worker-1')], nats: [this.#pid('nats-server')] };
  }

  /** Every process that was started, by the name of the launcher's process above it, and the launcher itself. */
  get trees(): ProcessGroups {
    const named = new Map(this.ready.processes.map(({ name, pid }) => [pid, name]));
    return processTrees(this.#launcher.pid, (pid, ancestor) => named.get(pid) ?? (ancestor === '' ? 'launcher' : ancestor));
  }

  get logs(): Readonly<Record<'gateway' | 'worker', string>> {
    const file = (name: string): string => join(this.options.dataDir, 'logs', `${name}.log`);
    return { gateway: file('gateway-1'), worker: file('worker-1') };
  }

  /** A key that was good once. */
  async revokedKey(): Promise<string> {
    const made = await this.#command(['keys', 'create', 'bench-revoked']);
    const { id, value } = made as { id: number; value: string };
    await this.#command(['keys', 'revoke', String(id)]);
    return value;
  }

  #pid(name: string): number {
    const found = this.ready.processes.find((one) => one.name === name);
    if (!found) throw new Error(`The launcher names no process ${name}.`);
    return found.pid;
  }

  /** Runs the command line. @returns its JSON document */
  async #command(args: readonly string[]): Promise<unknown> {
    const { root, dataDir } = this.options;
    const { PATH, HOME } = this.options.environment;
    const words = [join(root, 'apps/cli/bin/slipway.mjs'), ...args, '--json', '--data-dir', dataDir];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root, env: { PATH, HOME } });
    return JSON.parse(stdout) as unknown;
  }
}
