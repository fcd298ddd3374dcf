import { realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { fileSource, type ModelSource } from '@slipway/contracts';
import { EngineLoadError } from '@slipway/engine';
import { DownloadError, type ModelDownloads } from '@slipway/model-store';
import type { HostList } from '@slipway/platform';
import type { EngineSource } from '../engines.js';

export interface ModelSourcesOptions {
  /** Folders from which model files may be loaded. */
  readonly modelDirs: readonly string[];
  readonly engineHosts: HostList;
  readonly downloads: ModelDownloads;
}

/** A source that an engine can use at once. */
export interface ObtainedModel {
  readonly source: EngineSource;
  /** Size of a model file in bytes; 0 for HTTP engines. */
  readonly bytes: number;
}

/** Makes models available on this host, within what its operator allows. */
export class ModelSources {
  constructor(private readonly options: ModelSourcesOptions) {}

  /**
   * Checks a file or a host, or downloads; repeating it is harmless.
   * @param onProgress called with 0 to 1 while a download runs.
   * @throws EngineLoadError with the reason that people see; the signal's reason after an abort.
   */
  async obtain(source: ModelSource, onProgress: (progress: number) => void, signal: AbortSignal): Promise<ObtainedModel> {
    if (source.kind === 'http') return { source: this.permittedEngine(source), bytes: 0 };
    const path = source.kind === 'file' ? await this.#permittedFile(source.path) : await this.#downloaded(source, onProgress, signal);
    return { source: fileSource(source, path), bytes: (await stat(path)).size };
  }

  /** @throws EngineLoadError `engine_refused` for a host that this worker may not call. */
  permittedEngine<S extends { readonly url: string }>(source: S): S {
    if (this.options.engineHosts.allows(new URL(source.url))) return source;
    throw new EngineLoadError('engine_refused', 'The host of this engine is not on the list of allowed engine hosts.');
  }

  /** The engine cannot load this model: a download that may have gone wrong shall be made anew. @returns whether it will. */
  async discard(source: ModelSource): Promise<boolean> {
    return source.kind === 'download' && this.options.downloads.discard(source);
  }

  /** Takes no more, and ends all downloads so that the next agent can continue them. */
  async suspend(): Promise<void> {
    await this.options.downloads.suspend();
  }

  async #downloaded(
    source: Extract<ModelSource, { kind: 'download' }>,
    onProgress: (progress: number) => void,
    signal: AbortSignal,
  ): Promise<string> {
    try {
      return (await this.options.downloads.fetch(source, onProgress, signal)).path;
    } catch (error) {
      if (error instanceof DownloadError) throw new EngineLoadError('download_failed', error.message, { cause: error });
      throw error;
    }
  }

  async #permittedFile(path: string): Promise<string> {
    // The same answer whether the file lies outside or does not exist: nothing can be learned about other folders.
    const missing = new EngineLoadError('model_missing', 'There is no such model file in the model folders of this worker.');
    const real = await realpath(path).catch(() => null);
    if (real === null || !(await stat(real)).isFile()) throw missing;
    for (const folder of this.options.modelDirs) {
      const realFolder = await realpath(folder).catch(() => null);
      if (realFolder !== null && real.startsWith(realFolder.endsWith(sep) ? realFolder : realFolder + sep)) return real;
    }
    throw missing;
  }
}
