import { mkdir } from 'node:fs/promises';
import type { Logger } from '@slipway/platform';
import { DownloadError } from './download-error.js';
import { folderSize } from './folder-size.js';
import { type CachedModel, digestOf, ModelCache, type WantedModel } from './model-cache.js';
import { PartialFolders } from './partial-folders.js';
import { runDownload } from './run-download.js';
import { ModelUses } from './model-uses.js';

/** How often the folder is looked at for what other agents did, in milliseconds. */
const REFRESH_MS = 30_000;
/** A file with a wrong checksum is not fetched again for so long, in milliseconds. */
const WRONG_FOR_MS = 600_000;

/** Where downloads go, from which hosts, and within which limits. */
export interface ModelDownloadsOptions {
  /** Folder of the cache; several agents may share it. */
  readonly folder: string;
  readonly hosts: readonly string[];
  /** Bytes that the cache may take; null = what the disk has. */
  readonly maxBytes: number | null;
  /** Time without a byte after which a download is given up, in milliseconds. */
  readonly stallMs: number;
  readonly log: Logger;
}

interface RunningDownload {
  readonly model: Promise<CachedModel>;
  readonly watchers: Set<(progress: number) => void>;
  readonly abandoned: AbortController;
}

/** Fetches models into the cache. Each download runs in a process of its own, so that hashing and TLS take nothing from the streams of this one. */
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

  /** Addresses whose models are here, without what may be a secret in them. */
  get cached(): readonly string[] {
    return [...new Set(this.#cache.uris.map(publicUri))];
  }

  /** Makes the folder, removes what nobody wants any more, and looks what is there. */
  async open(): Promise<void> {
    await mkdir(this.options.folder, { recursive: true });
    await this.#partials.sweep();
    await this.#cache.refresh();
    this.#refreshes = setInterval(() => void this.#refresh(), REFRESH_MS).unref();
  }

  /** Ends all downloads so that the next agent can continue them. */
  async suspend(): Promise<void> {
    clearInterval(this.#refreshes);
    this.#suspended.abort();
    await Promise.allSettled([...this.#running.values()].map(({ model }) => model));
  }

  /**
   * A downloaded model, fetched first if it is not here. Callers for one model share one download, which ends early only
   * when all of them have given up. The model is in use until `signal` aborts.
   * @throws DownloadError; the signal's reason after an abort.
   */
  async fetch(wanted: WantedModel, onProgress: (progress: number) => void, signal: AbortSignal): Promise<CachedModel> {
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

  /** Removes a model that cannot be loaded, unless its checksum says that it is what it should be. @returns whether it did. */
  async discard(wanted: WantedModel): Promise<boolean> {
    const found = await this.#cache.find(wanted);
    if (!found || found.verified) return false;
    await this.#cache.remove(digestOf(wanted));
    return true;
  }

  #begin(wanted: WantedModel, digest: string): RunningDownload {
    const abandoned = new AbortController();
    const watchers = new Set<(progress: number) => void>();
    const tell = (progress: number): void => {
      for (const watch of watchers) watch(progress);
    };
    const model = this.#download(wanted, tell, abandoned.signal).finally(() => {
      if (this.#running.get(digest) === download) this.#running.delete(digest);
    });
    model.catch(() => undefined);
    const download = { model, watchers, abandoned };
    this.#running.set(digest, download);
    return download;
  }

  async #download(wanted: WantedModel, onProgress: (progress: number) => void, abandoned: AbortSignal): Promise<CachedModel> {
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

  /** Tries once more where older models made room. */
  async #attempt(wanted: WantedModel, onProgress: (progress: number) => void, abandoned: AbortSignal): Promise<CachedModel> {
    try {
      return await this.#bring(wanted, onProgress, abandoned);
    } catch (error) {
      const missing = error instanceof DownloadError ? error.missing : 0;
      if (missing === 0 || abandoned.aborted || !(await this.#cache.evict(missing, (digest) => this.#uses.has(digest)))) throw error;
      return this.#bring(wanted, onProgress, abandoned);
    }
  }

  async #bring(wanted: WantedModel, onProgress: (progress: number) => void, abandoned: AbortSignal): Promise<CachedModel> {
    const { hosts, maxBytes, stallMs } = this.options;
    const folder = await this.#partials.take(digestOf(wanted));
    let left: DownloadError['left'] = 'nothing';
    try {
      const others = (await this.#cache.size()) - (await folderSize(folder)).bytes;
      const room = maxBytes === null ? null : Math.max(0, maxBytes - others);
      const order = { uri: wanted.uri, sha256: wanted.sha256 ?? null, folder, hosts: [...hosts], room, stallMs };
      const model = await runDownload(order, { onProgress, abandoned, suspended: this.#suspended.signal });
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
    // Who comes now must not join a download that is being given up.
    this.#running.delete(digest);
    running?.abandoned.abort();
    await running?.model.catch(() => undefined);
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

/** An address without what may be a secret in it. */
const publicUri = (uri: string): string => uri.replace(/\?[^#]*/, '').replace(/\/\/[^/@]*@/, '//');

function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    const settled = (): void => signal.removeEventListener('abort', onAbort);
    work.finally(settled).then(resolve, reject);
  });
}
