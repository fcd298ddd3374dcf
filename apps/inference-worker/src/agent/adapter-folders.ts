import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EngineLoadError, type ExportedAdapter } from '@slipway/engine';
import type { FileHashes } from '@slipway/model-store';
import type { Logger } from '@slipway/platform';
import { z } from 'zod';
import type { AdapterFiles, WantedAdapter } from './adapter-files.js';
import { readPeft } from './peft-archive.js';

/** Says what is in the folder of an adapter, and what its files were when they were written. */
const CARD = 'slipway.json';
const Card = z.object({ adapter: z.string(), base: z.string(), files: z.record(z.string(), z.string()) });
const CONFIG = 'adapter_config.json';
/** Folder with a file for each use, by adapter. */
const USES = '.uses';
const SCRATCH = '.new-';
/** A use is renewed each `TOUCH_MS`; one that is older than `STALE_MS` ended with its worker. */
const TOUCH_MS = 20_000;
const STALE_MS = 120_000;
/** Time after its last use before the folder of an adapter is removed, and between two looks for such folders. */
const KEEP_MS = 86_400_000;
const SWEEP_MS = 600_000;
/** How often a folder that another worker writes at the same time is tried again. */
const PUBLISH_TRIES = 10;

/** The engine for which an adapter is exported. */
export interface ExportTarget {
  readonly url: string;
  /** The name of the base there. */
  readonly model: string;
}

export interface AdapterFoldersOptions {
  /** Folder that HTTP engines read at the same path; null = there is none. */
  readonly folder: string | null;
  readonly files: AdapterFiles;
  readonly hashes: FileHashes;
  readonly log: Logger;
}

const isOld = async (path: string, ms: number): Promise<boolean> => Date.now() - (await stat(path)).mtimeMs > ms;

/**
 * Adapters in the form that HTTP engines load, one folder each, named by SHA-256. Workers of several hosts may share the place: a
 * folder appears whole, is checked before each use, and is removed a day after its last one.
 */
export class AdapterFolders {
  readonly #folder: string | null;
  #sweeps: NodeJS.Timeout | undefined;

  constructor(private readonly options: AdapterFoldersOptions) {
    this.#folder = options.folder === null ? null : resolve(options.folder);
  }

  /** Begins to remove what nobody uses. */
  start(): void {
    if (this.#folder === null) return;
    this.#sweeps = setInterval(() => void this.sweep(), SWEEP_MS).unref();
    void this.sweep();
  }

  stop(): void {
    clearInterval(this.#sweeps);
  }

  /**
   * Writes the adapter's folder unless it is there as it was written.
   * @throws EngineLoadError `engine_refused` without a folder, `adapter_missing` or `adapter_mismatch`; the signal's reason after an abort
   */
  async obtain(wanted: WantedAdapter, target: ExportTarget, signal: AbortSignal): Promise<ExportedAdapter> {
    if (this.#folder === null) {
      throw new EngineLoadError(
        'engine_refused',
        'This worker hands no adapters to HTTP engines: it lacks the setting ADAPTER_EXPORT_DIR.',
      );
    }
    const { adapter } = wanted;
    const folder = join(this.#folder, adapter.sha256);
    const release = await this.#use(adapter.sha256, target.url);
    try {
      const base = await this.#baseIn(folder, adapter.sha256);
      if (base !== target.model) await this.#write(folder, wanted, target, signal);
      signal.throwIfAborted();
      return { folder, facts: adapter, release };
    } catch (error) {
      await release();
      signal.throwIfAborted();
      if (error instanceof EngineLoadError) throw error;
      const detail = 'The adapter cannot be written to ADAPTER_EXPORT_DIR on this worker; its log says why.';
      this.options.log.error({ err: error }, 'adapter.export_failed');
      throw new EngineLoadError('adapter_missing', detail, { cause: error });
    }
  }

  /** Removes folders that were not used for a day, and what a worker left half written. */
  async sweep(): Promise<void> {
    const root = this.#folder;
    if (root === null) return;
    try {
      for (const name of await readdir(root)) {
        const isOurs = /^[0-9a-f]{64}$/.test(name) || name.startsWith(SCRATCH);
        if (isOurs && (await isOld(join(root, name), KEEP_MS))) await rm(join(root, name), { recursive: true, force: true });
      }
    } catch (err) {
      this.options.log.warn({ err }, 'adapter.sweep_failed');
    }
  }

  /** The base that the folder was written for; null for one that is not there, or not as it was written. */
  async #baseIn(folder: string, sha256: string): Promise<string | null> {
    try {
      const { adapter, base, files } = Card.parse(JSON.parse(await readFile(join(folder, CARD), 'utf8')));
      for (const [name, hash] of Object.entries(files)) if ((await this.options.hashes.of(join(folder, name))).sha256 !== hash) return null;
      return adapter === sha256 ? base : null;
    } catch {
      return null;
    }
  }

  async #write(folder: string, wanted: WantedAdapter, { model }: ExportTarget, signal: AbortSignal): Promise<void> {
    const archive = await this.options.files.peft(wanted, signal);
    const files = readPeft(await readFile(archive));
    // The plug-in of vLLM takes a folder only for the base that its configuration names.
    files.set(CONFIG, withBase(files.get(CONFIG), model));
    const scratch = join(folder, '..', `${SCRATCH}${randomUUID()}`);
    await mkdir(scratch, { recursive: true, mode: 0o755 });
    const written: Record<string, string> = {};
    for (const [name, content] of files) {
      await writeFile(join(scratch, name), content, { mode: 0o644 });
      written[name] = (await this.options.hashes.of(join(scratch, name))).sha256;
    }
    await writeFile(join(scratch, CARD), JSON.stringify({ adapter: wanted.adapter.sha256, base: model, files: written }));
    try {
      await this.#publish(scratch, folder, { sha256: wanted.adapter.sha256, model });
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }

  /** Moves a whole folder to its place, unless another worker was faster. What is right there stays: engines may be reading it. */
  async #publish(scratch: string, folder: string, { sha256, model }: { sha256: string; model: string }): Promise<void> {
    for (let left = PUBLISH_TRIES; ; left -= 1) {
      try {
        await rename(scratch, folder);
        return;
      } catch (error) {
        if (left === 0) throw error;
      }
      if ((await this.#baseIn(folder, sha256)) === model) return;
      const gone = join(folder, '..', `${SCRATCH}${randomUUID()}`);
      // Another worker may have moved it away already.
      await rename(folder, gone).catch(() => undefined);
      await rm(gone, { recursive: true, force: true });
    }
  }

  /** Notes a use, and renews it until it is released. */
  async #use(sha256: string, url: string): Promise<ExportedAdapter['release']> {
    const root = this.#folder ?? '';
    const folder = join(root, USES, sha256);
    const engine = createHash('sha256').update(url).digest('hex').slice(0, 16);
    const own = join(folder, `${engine}-${randomUUID()}`);
    const touch = async (): Promise<void> => {
      const now = new Date();
      await utimes(own, now, now).catch(() => undefined);
      await utimes(join(root, sha256), now, now).catch(() => undefined);
    };
    await mkdir(folder, { recursive: true });
    await writeFile(own, '');
    const timer = setInterval(() => void touch(), TOUCH_MS).unref();
    let released: Promise<boolean> | undefined;
    return () => (released ??= this.#release(own, timer, folder, engine));
  }

  async #release(own: string, timer: NodeJS.Timeout, folder: string, engine: string): Promise<boolean> {
    clearInterval(timer);
    await rm(own, { force: true });
    let isLast = true;
    for (const name of await readdir(folder)) {
      if (await isOld(join(folder, name), STALE_MS).catch(() => true)) await rm(join(folder, name), { force: true });
      else if (name.startsWith(`${engine}-`)) isLast = false;
    }
    return isLast;
  }
}

/** A configuration of PEFT that names this base. */
function withBase(config: Buffer | undefined, base: string): Buffer {
  const fields: unknown = JSON.parse(config?.toString('utf8') ?? 'null');
  if (typeof fields !== 'object' || fields === null)
    throw new EngineLoadError('adapter_mismatch', 'The PEFT form of the adapter has no configuration.');
  return Buffer.from(`${JSON.stringify({ ...fields, base_model_name_or_path: base }, null, 2)}\n`);
}
