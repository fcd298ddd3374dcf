import { stat } from 'node:fs/promises';
import { type AccountId, isServiceError, OpenBlob, type ServedAdapter } from '@slipway/contracts';
import { EngineLoadError } from '@slipway/engine';
import { DownloadError, type FileHashes, type ModelDownloads, type WantedFile } from '@slipway/model-store';
import type { RpcClient } from '@slipway/platform';

/** An adapter at hand, whose bytes and whose base are those that it was made with. */
export interface ObtainedAdapter {
  readonly path: string;
  readonly bytes: number;
  /** What the base's file was when it was compared; see `fileIdentity`. */
  readonly baseIdentity: string;
}

export interface AdapterFilesOptions {
  readonly downloads: ModelDownloads;
  readonly hashes: FileHashes;
  readonly rpc: RpcClient;
}

/** An adapter of an account. */
export interface WantedAdapter {
  /** Absent from senders that know no adapters. */
  readonly account?: AccountId | undefined;
  readonly adapter: ServedAdapter;
}

const mismatch = (detail: string): EngineLoadError => new EngineLoadError('adapter_mismatch', detail);
const missing = (detail: string, cause?: unknown): EngineLoadError => new EngineLoadError('adapter_missing', detail, { cause });

/** Makes adapters available on this host, and compares the bytes of both files with what the adapter was made of. */
export class AdapterFiles {
  constructor(private readonly options: AdapterFilesOptions) {}

  /**
   * Fetches the adapter unless it is cached; the ticket is asked for only then. It counts as in use until `signal` aborts.
   * @param base path of the base's file
   * @throws EngineLoadError `adapter_missing` or `adapter_mismatch`; the signal's reason after an abort
   */
  async obtain(wanted: WantedAdapter, base: string, signal: AbortSignal): Promise<ObtainedAdapter> {
    const { hashes } = this.options;
    const { sha256, base_sha256: baseSha256 } = wanted.adapter;
    const path = await this.#fetch(wanted, signal);
    if ((await hashes.of(path)).sha256 !== sha256) {
      await this.options.downloads.remove(fileOf(wanted.adapter));
      throw mismatch("The adapter's file was changed on this worker; it is fetched again.");
    }
    const found = await hashes.of(base);
    signal.throwIfAborted();
    if (found.sha256 !== baseSha256) throw mismatch('The file of the base on this worker is not the one that the adapter was made with.');
    return { path, bytes: (await stat(path)).size, baseIdentity: found.identity };
  }

  /**
   * Fetches the archive of the adapter's PEFT form unless it is cached.
   * @returns its path, of a file that was compared with the hash that tuning-service has for it
   * @throws EngineLoadError as `obtain`
   */
  async peft(wanted: WantedAdapter, signal: AbortSignal): Promise<string> {
    const { url, sha256 } = await this.#open(wanted, 'peft').catch((error: unknown) => {
      throw missing(error instanceof Error ? error.message : 'The adapter cannot be fetched.', error);
    });
    return this.#download({ uri: `adapter-peft:${wanted.adapter.sha256}`, sha256, address: () => Promise.resolve(url) }, signal);
  }

  #fetch(wanted: WantedAdapter, signal: AbortSignal): Promise<string> {
    return this.#download({ ...fileOf(wanted.adapter), address: () => this.#addressOf(wanted) }, signal);
  }

  async #download(file: WantedFile, signal: AbortSignal): Promise<string> {
    try {
      return (await this.options.downloads.fetch(file, () => undefined, signal)).path;
    } catch (error) {
      if (!(error instanceof DownloadError)) throw error;
      if (error.left === 'wrong') throw mismatch("The file that the store gave for this adapter has another checksum than the adapter's.");
      throw missing(error.message, error);
    }
  }

  /** @throws DownloadError */
  async #addressOf(wanted: WantedAdapter): Promise<string> {
    const { url, sha256 } = await this.#open(wanted, 'gguf');
    if (sha256 === wanted.adapter.sha256) return url;
    throw new DownloadError('Another file is stored for this adapter.', { left: 'wrong' });
  }

  /** @throws DownloadError */
  async #open({ account, adapter }: WantedAdapter, form: 'gguf' | 'peft'): Promise<{ url: string; sha256: string }> {
    if (account === undefined) throw new DownloadError('The assignment does not say whose adapter this is.', { left: 'nothing' });
    try {
      return await this.options.rpc.call(OpenBlob, { blob: { of: 'adapter', account, adapter: adapter.id, form } });
    } catch (cause) {
      const isGone = isServiceError(cause) && cause.code === 'blob_not_found';
      const why = isGone ? 'The adapter was deleted.' : 'The adapter cannot be fetched: tuning-service does not answer.';
      throw new DownloadError(why, { cause });
    }
  }
}

/** The name in the cache: equal adapters of all accounts are one file. */
const fileOf = ({ sha256 }: ServedAdapter): WantedFile => ({ uri: `adapter:${sha256}`, sha256 });
