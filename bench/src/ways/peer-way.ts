import { BenchError } from '../bench-error.js';
import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Target } from '../messages.js';
import type { Peer, PeerPlace } from '../peers/peer.js';
import { OwnedProcess } from '../processes/owned-process.js';
import { type ProcessTable, processTable } from '../processes/process-table.js';
import { waitUntil } from '../processes/wait-until.js';
import type { Way } from './way.js';

const INSTALLED_WITHIN_MS = 300_000;
const READY_WITHIN_MS = 60_000;
/** Holds a digest of what was installed. */
const MARK = '.installed';

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

/**
 * Installs a peer from its registry, unless it is there.
 * @param cache folder that outlives the run
 * @returns its folder
 * @throws BenchError that says what failed
 */
export async function installPeer(peer: Peer, cache: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const folder = join(cache, `${peer.name}-${peer.version}`);
  const digest = createHash('sha256')
    .update(JSON.stringify([peer.files, peer.install]))
    .digest('hex');
  const mark = join(folder, MARK);
  if (existsSync(mark) && (await readFile(mark, 'utf8')) === digest) return folder;
  await rm(folder, { recursive: true, force: true });
  await writeFiles(folder, peer.files);
  for (const [program = '', ...words] of peer.install) {
    const path = program.includes('/') ? resolve(folder, program) : program;
    try {
      await promisify(execFile)(path, words, { cwd: folder, env: environment, timeout: INSTALLED_WITHIN_MS });
    } catch (error) {
      const { stderr = '', message } = error as { stderr?: string; message: string };
      throw new BenchError(`${peer.name} could not be installed: ${stderr.trim().split('\n').at(-1) || message}`, { cause: error });
    }
  }
  await writeFile(mark, digest);
  return folder;
}

/** Whether a request through a server comes back whole. */
async function answers({ ports: [port], path, model, key, headers }: Target): Promise<boolean> {
  const body = JSON.stringify({ model, max_tokens: 1, messages: [{ role: 'user', content: '#bench 1 0#' }] });
  const own = { 'content-type': 'application/json', ...(key !== null && { authorization: `Bearer ${key}` }), ...headers };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers: own, body }).catch(() => null);
  const text = await response?.text().catch(() => '');
  return response?.status === 200 && (text ?? '').includes('<0000.');
}

/**
 * Starts a peer.
 * @param owned is called as soon as there is a process to end
 * @throws BenchError with its last words when it does not answer
 */
export async function startPeer(peer: Peer, place: PeerPlace, owned: (server: OwnedProcess) => void, path?: string): Promise<Way> {
  await writeFiles(place.folder, peer.settings?.(place) ?? {});
  const { words, environment } = peer.start(place);
  const [command = '', ...args] = words;
  const server = new OwnedProcess({
    ...{ command, args, cwd: place.folder, stopSignal: 'SIGTERM', stopWithinMs: 5_000 },
    env: { PATH: path, HOME: place.folder, ...environment },
  });
  owned(server);
  const lastWords = (): string => `${server.stdout}\n${server.stderr}`.trim().split('\n').slice(-5).join('\n');
  const target = await waitUntil(`${peer.name} starts`, READY_WITHIN_MS, async () => {
    if (server.ended) throw new BenchError(`${peer.name} ended:\n${lastWords()}`);
    const found = peer.target(place, server.stdout);
    return found && (await answers(found)) ? found : null;
  }).catch((error: unknown) => {
    if (error instanceof BenchError) throw error;
    throw new BenchError(`${peer.name} does not answer:\n${lastWords()}`, { cause: error });
  });
  return {
    ...{ name: peer.name, version: peer.version, does: peer.does, lacks: peer.lacks, target },
    processes: (): ProcessTable => processTable(server.pid, () => peer.name),
    refusedKey: () => Promise.resolve(peer.refusedKey ?? null),
  };
}
