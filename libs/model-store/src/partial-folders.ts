import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { folderSize } from './folder-size.js';
import { PartialState } from './partial-state.js';
import { processIdentity, isRunning } from './process-identity.js';

const NAME = /^\.partial-(?<digest>[0-9a-f]{64})-(?<owner>.+)-\d+$/;
/** Idle time after which a folder of another host has lost its owner. */
const FOREIGN_IDLE_MS = 3_600_000;
/** Age at which an abandoned folder is deleted. */
const FORGOTTEN_MS = 24 * 3_600_000;
/** Time for the download process of a dead agent to save its state. */
const WRITER_ENDS_WITHIN_MS = 10_000;
const POLL_MS = 50;

/** Folders that this process uses, and how many it has made: it may run several agents with one cache. */
const busy = new Set<string>();
let made = 0;

/**
 * Folders of partial downloads. Each name contains the identity of the agent that owns it. The folder of a dead agent belongs to
 * the first agent that renames it, so that one process alone continues a download.
 */
export class PartialFolders {
  readonly #identity = processIdentity(process.pid);

  /** @param folder of the cache. */
  constructor(private readonly folder: string) {}

  /** Takes over an abandoned folder of this download, or makes a new one. The caller gives it back or removes it. */
  async take(digest: string): Promise<string> {
    for (const name of await this.#names()) {
      if (NAME.exec(name)?.groups?.['digest'] !== digest) continue;
      const taken = (await this.#isFree(name)) && (await this.#claim(name, digest));
      if (taken) return taken;
    }
    const path = this.#newPath(digest);
    await mkdir(path, { recursive: true });
    busy.add(path);
    return path;
  }

  /** Leaves a folder to the next attempt; removes it if it is empty. */
  async giveBack(path: string): Promise<void> {
    const { bytes } = await folderSize(join(path, 'files'));
    if (bytes === 0) await this.remove(path);
    else busy.delete(path);
  }

  async remove(path: string): Promise<void> {
    await rm(path, { recursive: true, force: true });
    busy.delete(path);
  }

  /** Removes the folders of a download that earlier attempts of this process left. */
  async drop(digest: string): Promise<void> {
    for (const name of await this.#names()) {
      const path = join(this.folder, name);
      if (name.startsWith(`.partial-${digest}-${this.#identity}-`) && !busy.has(path)) await this.remove(path);
    }
  }

  /** Removes folders that were not continued for a day. */
  async sweep(): Promise<void> {
    for (const name of await this.#names()) {
      const path = join(this.folder, name);
      if (busy.has(path) || !(await this.#isFree(name))) continue;
      const { changedAt } = await folderSize(path);
      if (Date.now() - changedAt > FORGOTTEN_MS) await this.remove(path);
    }
  }

  async #names(): Promise<string[]> {
    const names = await readdir(this.folder).catch(() => []);
    return names.filter((name) => name.startsWith('.partial-'));
  }

  #newPath(digest: string): string {
    return join(this.folder, `.partial-${digest}-${this.#identity}-${(made += 1)}`);
  }

  /** Whether no process works in the folder. */
  async #isFree(name: string): Promise<boolean> {
    const path = join(this.folder, name);
    if (busy.has(path)) return false;
    const owner = NAME.exec(name)?.groups?.['owner'] ?? '';
    if (owner === this.#identity) return true;
    return !(isRunning(owner) ?? Date.now() - (await folderSize(path)).changedAt < FOREIGN_IDLE_MS);
  }

  async #claim(name: string, digest: string): Promise<string | null> {
    const from = join(this.folder, name);
    const { writer } = await PartialState.read(from);
    const end = performance.now() + WRITER_ENDS_WITHIN_MS;
    // What this process wrote itself has ended, or its folder would be in use.
    while (writer !== null && writer !== this.#identity && isRunning(writer) === true) {
      if (performance.now() > end) return null;
      await delay(POLL_MS);
    }
    const to = this.#newPath(digest);
    try {
      await rename(from, to);
    } catch {
      // Another agent was faster.
      return null;
    }
    busy.add(to);
    return to;
  }
}
