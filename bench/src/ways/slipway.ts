import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OwnedProcess } from '../processes/owned-process.js';
import { type ProcessTable, processTable } from '../processes/process-table.js';
import { waitUntil } from '../processes/wait-until.js';
import { CHAT_PATH, type Way } from './way.js';

const READY_WITHIN_MS = 180_000;
/** With the installation of dependencies, and the build. */
const BUILT_WITHIN_MS = 600_000;
const STOPPED_WITHIN_MS = 20_000;

export interface SlipwayOptions {
  /** Its name in tables. */
  readonly name: string;
  readonly version: string;
  /** The repository, built. */
  readonly root: string;
  readonly dataDir: string;
  readonly port: number;
  /** The engine that it serves; without one, the bundled model. */
  readonly enginePort?: number;
  /** Gateways, and as many workers; absent = one of each. */
  readonly gateways?: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The repository is not built yet. */
  readonly isFresh?: true;
}

interface Ready {
  readonly gateways: readonly string[];
  readonly alias: string;
  readonly key: string;
  readonly processes: readonly { readonly name: string; readonly pid: number }[];
}

/** Words of `npm start`, without npm and `exec node`. */
function startWords(root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } };
  return scripts.start.replace(/^(?:exec )?node /, '').split(' ');
}

/** Runs the command line of a running Slipway. @returns its JSON document */
async function command({ root, dataDir, environment }: SlipwayOptions, args: readonly string[]): Promise<unknown> {
  const { PATH, HOME } = environment;
  const words = [join(root, 'apps/cli/bin/slipway.mjs'), ...args, '--json', '--data-dir', dataDir];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root, env: { PATH, HOME } });
  return JSON.parse(stdout) as unknown;
}

/** A key that was good once. */
async function revokedKey(options: SlipwayOptions): Promise<string> {
  const { id, value } = (await command(options, ['keys', 'create', 'bench-revoked'])) as { id: number; value: string };
  await command(options, ['keys', 'revoke', String(id)]);
  return value;
}

/**
 * Starts all of Slipway as `npm start` does, with the settings that it has by itself. All of its processes count: launcher,
 * postgres with its backends, nats-server, control plane, console, workers and gateway.
 * @param owned is called with the launcher as soon as there is a process to end
 */
export async function startSlipway(options: SlipwayOptions, owned: (launcher: OwnedProcess) => void): Promise<Way> {
  const { root, dataDir, port, enginePort, gateways, environment, name, version } = options;
  const engine = enginePort === undefined ? [] : ['--upstream', `http://127.0.0.1:${enginePort}`, '--upstream-model', 'bench'];
  const many = gateways === undefined ? [] : ['--gateways', String(gateways), '--workers', String(gateways)];
  const launcher = new OwnedProcess({
    command: process.execPath,
    args: [...startWords(root), '--json', ...engine, '--data-dir', dataDir, '--port', String(port), ...many],
    cwd: root,
    env: environment,
    stopSignal: 'SIGTERM',
    stopWithinMs: STOPPED_WITHIN_MS,
  });
  owned(launcher);
  const line = await waitUntil(`${name} starts`, options.isFresh ? BUILT_WITHIN_MS : READY_WITHIN_MS, () => {
    if (launcher.ended) throw new Error(`The launcher ended:\n${launcher.stderr}`);
    return launcher.stdout.endsWith('\n') ? launcher.stdout : null;
  });
  const { gateways: urls, alias, key, processes } = JSON.parse(line) as Ready;
  const ports = urls.map((url) => Number(new URL(url).port)) as [number, ...number[]];
  // `gateway-1` and `gateway-2` are one row, as are all runners.
  const named = new Map(processes.map((one) => [one.pid, one.name.replace(/(?:-\d+)+$/, '')]));
  const groupOf = (pid: number, above: string): string => named.get(pid) ?? (above === '' ? 'launcher' : above);
  return {
    name,
    version,
    target: { ports, path: `/${alias}${CHAT_PATH}`, model: 'demo', key, keyHeader: 'x-api-key' },
    processes: (): ProcessTable => processTable(launcher.pid, groupOf),
    does: ['keys', 'limits', 'usage', 'routing by model', 'replay of every token'],
    lacks: [],
    hasResponses: true,
    refusedKey: () => revokedKey(options),
  };
}
