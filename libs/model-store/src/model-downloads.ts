import { mkdir } from 'node:fs/promises';
import type { Logger } from '@slipway/platform';
import { DownloadError } from './download-error.js';
import { folderSize } from './folder-size.js';
import { type CachedModel, digestOf, ModelCache, type WantedModel } from './model-cache.js';
import { PartialFolders } from './partial-folders.js';
import { downloadHere, runDownload } from './run-download.js';

/** How often the folder is read for changes of other agents, in milliseconds. */
const REFRESH_MS = 30_000;
/** Time before a file with a wrong checksum is downloaded again, in milliseconds. */
const WRONG_FOR_MS = 600_000;

const MODEL_URI = /^(https:\/\/|hf:)/;

/** Folder, allowed hosts and limits of downloads. */
export interface ModelDownloadsOptions {
  /** Folder of the cache; several agents may share it. */
  readonly folder: string;
  readonly hosts: readonly string[];
  /** Bytes that the cache may take; null = limited by the disk alone. */
  readonly maxBytes: number | null;
  /** Time without a byte after which a download fails, in milliseconds. */
  readonly stallMs: number;
  /** Fetches files of other services; default: Node's `fetch`. */
  readonly doorFetch?: typeof fetch;
  readonly log: Logger;
}

/** A file to fetch: a model from the web, or a file of another service, which is named by its checksum. */
export interface WantedFile extends WantedModel {
  /**
   * Asked before each download of a file of another service, since its address holds a ticket; then `uri` is a name without secrets
   * and `sha256` is needed. What it throws fails the download.
   */
  readonly address?: (() => Promise<string>) | undefined;
}

interface RunningDownload {
  readonly model: Promise<CachedModel>;
  readonly watchers: Set<(progress: number) => void>;
  readonly abandoned: AbortController;
}

/**
 * Downloads models into the cache. Each download of a model has its own process, so that hashing and TLS do not delay token streams;
 * files of other services are small.
 */
export class ModelDownloads {
  readonly #cache: ModelCache;
  readonly #partials: PartialFolders;
  readonly #uses: ModelUses;
  readonly #running = new Map<string, RunningDownload>();
  readonly #wrong = new Map<string, { readonly error: DownloadError; readonly until: number }>();
  readonly #suspended = new AbortController();
  #refreshes: NodeJS.Timeout | undefined;

  constructor(private readonly options: ModelDownloadsOptions) {
    this.#cache = new ModelCache(options.folder);
    this.#partials = new PartialFolders(options.folder);
    this.#uses = new ModelUses((digest) => void this.#unwanted(digest));
  }

  /** URIs of the cached models, without parts that may be secret. Files of other services are left out. */
  get cached(): readonly string[] {
    return [...new Set(this.#cache.uris.filter((uri) => MODEL_URI.test(uri)).map(publicUri))];
  }

  /** Creates the folder, removes abandoned partial downloads, and reads what is cached. */
  async open(): Promise<void> {
    await mkdir(this.options.folder, { recursive: true });
    await this.#partials.sweep();
    await this.#cache.refresh();
    this.#refreshes = setInterval(() => void this.#refresh(), REFRESH_MS).unref();
  }

  /** Stops all downloads so that the next agent can continue them. */
  async suspend(): Promise<void> {
    clearInterval(this.#refreshes);
    this.#suspended.abort();
    await Promise.allSettled([...this.#running.values()].map(({ model }) => model));
  }

  /**
   * Returns a cached model, downloading it first where needed. Callers of one model share one download, which is cancelled
   * when all of them have aborted. The model counts as in use until `signal` aborts.
   * @throws DownloadError, or the signal's reason after an abort.
   */
  async fetch(wanted: WantedFile, onProgress: (progress: number) => void, signal: AbortSignal): Promise<CachedModel> {
    signal.throwIfAborted();
    const digest = digestOf(wanted);
    this.#uses.add(digest, signal);
    const here = await this.#cache.find(wanted);
    signal.throwIfAborted();
    if (here) await this.#cache.touch([digest]);
    if (here) return here;
    const wrong = this.#wrong.get(digest);
    if (wrong && wrong.until > performance.now()) throw wrong.error;
    const download = this.#running.get(digest) ?? this.#begin(wanted, digest);
    download.watchers.add(onProgress);
    try {
      return await orAbort(download.model, signal);
    } finally {
      download.watchers.delete(onProgress);
    }
  }

  /** Removes a model that cannot be loaded, unless its checksum was verified. @returns whether it was removed. */
  async discard(wanted: WantedModel): Promise<boolean> {
    const found = await this.#cache.find(wanted);
    if (!found || found.verified) return false;
    await this.#cache.remove(digestOf(wanted));
    return true;
  }

  /** Removes a file whose content is not what it was when it was fetched. */
  async remove(wanted: WantedModel): Promise<void> {
    await this.#cache.remove(digestOf(wanted));
  }

  #begin(wanted: WantedFile, digest: string): RunningDownload {
    const abandoned = new AbortController();
    const watchers = new Set<(progress: number) => void>();
    const report = (progress: number): void => {
      for (const watch of watchers) watch(progress);
    };
    const model = this.#download(wanted, report, abandoned.signal).finally(() => {
      if (this.#running.get(digest) === download) this.#running.delete(digest);
    });
    const download = { model, watchers, abandoned };
    this.#running.set(digest, download);
    return download;
  }

  async #download(wanted: WantedFile, onProgress: (progress: number) => void, abandoned: AbortSignal): Promise<CachedModel> {
    const { log } = this.options;
    const uri = publicUri(wanted.uri);
    log.info({ uri }, 'model.download_started');
    try {
      const model = await this.#attempt(wanted, onProgress, abandoned);
      log.info({ uri }, 'model.download_finished');
      return model;
    } catch (error) {
      if (error instanceof DownloadError) throw this.#noted(error, digestOf(wanted));
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
      throw new DownloadError(`The model cache cannot be written (${code}).`, { cause: error });
    }
  }

  /** Tries once more if removing older models freed enough space. */
  async #attempt(wanted: WantedFile, onProgress: (progress: number) => void, abandoned: AbortSignal): Promise<CachedModel> {
    try {
      return await this.#bring(wanted, onProgress, abandoned);
    } catch (error) {
      const missing = error instanceof DownloadError ? error.missing : 0;
      if (missing === 0 || abandoned.aborted || !(await this.#cache.evict(missing, (digest) => this.#uses.has(digest)))) throw error;
      return this.#bring(wanted, onProgress, abandoned);
    }
  }

  async #bring(wanted: WantedFile, onProgress: (progress: number) => void, abandoned: AbortSignal): Promise<CachedModel> {
    const { hosts, maxBytes, stallMs, doorFetch } = this.options;
    const address = (await wanted.address?.()) ?? null;
    const folder = await this.#partials.take(digestOf(wanted));
    let left: DownloadError['left'] = 'nothing';
    try {
      const others = (await this.#cache.size()) - (await folderSize(folder)).bytes;
      const room = maxBytes === null ? null : Math.max(0, maxBytes - others);
      const order = { uri: wanted.uri, address, sha256: wanted.sha256 ?? null, folder, hosts: [...hosts], room, stallMs };
      const watch = { onProgress, abandoned, suspended: this.#suspended.signal };
      const model = await (address === null ? runDownload(order, watch) : downloadHere(order, watch, doorFetch));
      return await this.#cache.publish(folder, wanted, model);
    } catch (error) {
      left = error instanceof DownloadError && !abandoned.aborted ? error.left : 'nothing';
      throw error;
    } finally {
      await (left === 'partial' ? this.#partials.giveBack(folder) : this.#partials.remove(folder));
    }
  }

  #noted(error: DownloadError, digest: string): DownloadError {
    if (error.left === 'wrong') this.#wrong.set(digest, { error, until: performance.now() + WRONG_FOR_MS });
    return error;
  }

  async #unwanted(digest: string): Promise<void> {
    if (this.#suspended.signal.aborted) return;
    this.#wrong.delete(digest);
    const running = this.#running.get(digest);
    // New callers must not join a download that is being cancelled.
    this.#running.delete(digest);
    running?.abandoned.abort();
    if (running) await Promise.allSettled([running.model]);
    if (!this.#uses.has(digest)) await this.#partials.drop(digest);
  }

  async #refresh(): Promise<void> {
    try {
      await this.#cache.touch(this.#uses.digests());
      await this.#partials.sweep();
      await this.#cache.refresh();
    } catch (error) {
      this.options.log.warn({ err: error }, 'model.cache_unreadable');
    }
  }
}

/** A URI without query and user info, which may be secret. */
const publicUri = (uri: string): string => uri.replace(/\?[^#]*/, '').replace(/\/\/[^/@]*@/, '//');

function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    const settled = (): void => signal.removeEventListener('abort', onAbort);
    work.finally(settled).then(resolve, reject);
  });
}

/** Which models are in use: each until the signals of all its users have aborted. */
class ModelUses {
  readonly #users = new Map<string, Set<AbortSignal>>();

  /** @param unused called when a model has no user left. */
  constructor(private readonly unused: (digest: string) => void) {}

  /** Adds a user; adding the same signal again changes nothing. */
  add(digest: string, signal: AbortSignal): void {
    const users = this.#users.get(digest) ?? new Set();
    this.#users.set(digest, users);
    if (users.has(signal)) return;
    users.add(signal);
    signal.addEventListener('abort', () => this.#remove(digest, signal), { once: true });
  }

  has(digest: string): boolean {
    return this.#users.has(digest);
  }

  digests(): string[] {
    return [...this.#users.keys()];
  }

  #remove(digest: string, signal: AbortSignal): void {
    const users = this.#users.get(digest);
    if (!users?.delete(signal) || users.size > 0) return;
    this.#users.delete(digest);
    this.unused(digest);
  }
}
