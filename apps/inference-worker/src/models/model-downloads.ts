import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@slipway/platform';
import { z } from 'zod';
import { EngineLoadError } from '../engines/engine.js';
import { runDownload } from './run-download.js';

const ENTRY_FILE = 'entry.json';
const Entry = z.object({ uri: z.string(), file: z.string().min(1) });
const PARTIAL = /^\.partial-[0-9a-f]{64}-(?<host>.+)-(?<pid>\d+)-\d+$/;

export interface ModelDownloadsOptions {
  /** Folder of the cache; several agents may share it. */
  readonly folder: string;
  readonly hosts: readonly string[];
  readonly log: Logger;
}

interface RunningDownload {
  readonly path: Promise<string>;
  readonly watchers: Set<(progress: number) => void>;
  readonly abort: AbortController;
}

/**
 * Downloaded models, one folder for each URI. A folder gets its name only when all of it has arrived,
 * so what lies there is whole. Downloads run in processes of their own: they load llama.cpp's library,
 * and the check of hosts covers every request of such a process.
 */
export class ModelDownloads {
  readonly #running = new Map<string, RunningDownload>();
  #cached: readonly string[] = [];
  #begun = 0;

  constructor(private readonly options: ModelDownloadsOptions) {}

  /** URIs whose models are here. */
  get cached(): readonly string[] {
    return this.#cached;
  }

  /** Makes the folder, removes what dead processes of this host left half done, and looks what is there. */
  async open(): Promise<void> {
    await mkdir(this.options.folder, { recursive: true });
    const uris: string[] = [];
    for (const name of await readdir(this.options.folder)) {
      if (isAbandoned(name)) await rm(join(this.options.folder, name), { recursive: true, force: true });
      const entry = await this.#entry(name);
      if (entry) uris.push(entry.uri);
    }
    this.#cached = uris;
  }

  /**
   * Path of a downloaded model, fetched first if it is not here. Callers for one URI share one download,
   * which ends early only when all of them have given up.
   * @throws EngineLoadError `download_failed`; the signal's reason after an abort.
   */
  async fetch(uri: string, onProgress: (progress: number) => void, signal: AbortSignal): Promise<string> {
    const digest = createHash('sha256').update(uri).digest('hex');
    const entry = await this.#entry(digest);
    if (entry) return join(this.options.folder, digest, entry.file);
    signal.throwIfAborted();
    const download = this.#running.get(digest) ?? this.#begin(uri, digest);
    download.watchers.add(onProgress);
    try {
      return await Promise.race([download.path, rejectionOf(signal)]);
    } finally {
      download.watchers.delete(onProgress);
      if (download.watchers.size === 0) {
        // Who comes now must not join a download that is being given up.
        if (this.#running.get(digest) === download) this.#running.delete(digest);
        download.abort.abort();
      }
    }
  }

  #begin(uri: string, digest: string): RunningDownload {
    const abort = new AbortController();
    const watchers = new Set<(progress: number) => void>();
    const path = this.#download({ uri, digest, signal: abort.signal, watchers });
    path.catch(() => undefined);
    const download = { path, watchers, abort };
    this.#running.set(digest, download);
    return download;
  }

  async #download(what: { uri: string; digest: string; signal: AbortSignal; watchers: Set<(progress: number) => void> }): Promise<string> {
    const { folder, hosts, log } = this.options;
    const partial = join(folder, `.partial-${what.digest}-${hostname()}-${process.pid}-${(this.#begun += 1)}`);
    try {
      await rm(partial, { recursive: true, force: true });
      await mkdir(partial, { recursive: true });
      log.info({ uri: what.uri }, 'model.download_started');
      const order = { uri: what.uri, folder: partial, hosts: [...hosts] };
      const tell = (progress: number): void => {
        for (const watch of what.watchers) watch(progress);
      };
      const file = await runDownload(order, tell, what.signal);
      await writeFile(join(partial, ENTRY_FILE), JSON.stringify({ uri: what.uri, file }));
      await this.#publish(partial, what.digest);
      this.#cached = [...new Set([...this.#cached, what.uri])];
      log.info({ uri: what.uri }, 'model.download_finished');
      return join(folder, what.digest, file);
    } catch (error) {
      if (error instanceof EngineLoadError || what.signal.aborted) throw error;
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
      throw new EngineLoadError('download_failed', `The model cache cannot be written (${code}).`, { cause: error });
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
  }

  async #publish(partial: string, digest: string): Promise<void> {
    const target = join(this.options.folder, digest);
    try {
      await rename(partial, target);
    } catch (error) {
      // Another agent that shares the folder was faster: its copy is as good.
      if (!(await this.#entry(digest))) throw error;
    }
  }

  async #entry(digest: string): Promise<z.infer<typeof Entry> | null> {
    if (!/^[0-9a-f]{64}$/.test(digest)) return null;
    const text = await readFile(join(this.options.folder, digest, ENTRY_FILE), 'utf8').catch(() => null);
    return text === null ? null : (Entry.safeParse(JSON.parse(text)).data ?? null);
  }
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function isAbandoned(name: string): boolean {
  const owner = PARTIAL.exec(name)?.groups;
  if (owner?.['host'] !== hostname()) return false;
  try {
    process.kill(Number(owner['pid']), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
