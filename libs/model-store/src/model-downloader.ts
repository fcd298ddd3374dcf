import { createModelDownloader } from 'node-llama-cpp';

export interface ModelDownloadOptions {
  /** An https URL or an `hf:` URI of a GGUF model. */
  readonly uri: string;
  /** Where the files go; of a split model all of them. */
  readonly folder: string;
  /** Called often, with 0 to 1. */
  readonly onProgress: (progress: number) => void;
}

/** A file that a download brings. */
export interface ModelFile {
  readonly name: string;
  /** As its server announced it; 0 where it did not. */
  readonly bytes: number;
  /** Here already, from an earlier attempt. */
  readonly have: number;
}

/** A download whose servers were asked what there is, and which has brought nothing yet. */
export interface ModelDownload {
  /** Name of the file to load. */
  readonly entry: string;
  readonly files: readonly ModelFile[];
  /** Whether one file is put together from several. */
  readonly spliced: boolean;
  run(): Promise<void>;
  /** Stops, and keeps what has arrived for the next attempt. */
  stop(): Promise<void>;
}

/** Opens a download by llama.cpp's own rules for URIs and split files. All of its requests go through `globalThis.fetch`. */
export async function openDownload({ uri, folder, onProgress }: ModelDownloadOptions): Promise<ModelDownload> {
  const downloader = await createModelDownloader({
    modelUri: uri,
    dirPath: folder,
    deleteTempFileOnCancel: false,
    onProgress: ({ totalSize, downloadedSize }) => {
      if (totalSize > 0) onProgress(Math.min(1, downloadedSize / totalSize));
    },
  });
  return {
    entry: downloader.entrypointFilename,
    files: downloader.filesInfo.map(({ fileName, totalSize, downloadedSize }) => ({
      name: fileName,
      bytes: totalSize ?? 0,
      have: downloadedSize ?? 0,
    })),
    spliced: downloader.splitBinaryParts !== undefined,
    run: async () => {
      await downloader.download();
    },
    stop: () => downloader.cancel({ deleteTempFile: false }),
  };
}
