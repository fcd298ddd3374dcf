import { createModelDownloader } from 'node-llama-cpp';

export interface ModelDownload {
  /** An https URL or an `hf:` URI of a GGUF model. */
  readonly uri: string;
  /** Where the files go; of a split model all of them. */
  readonly folder: string;
  /** Called often, with 0 to 1. */
  readonly onProgress: (progress: number) => void;
}

/**
 * Downloads a model with llama.cpp's own rules for URIs and split files. All of its requests go through `globalThis.fetch`.
 * @returns the name of the file to load.
 */
export async function downloadModel({ uri, folder, onProgress }: ModelDownload): Promise<string> {
  const downloader = await createModelDownloader({
    modelUri: uri,
    dirPath: folder,
    onProgress: ({ totalSize, downloadedSize }) => {
      if (totalSize > 0) onProgress(Math.min(1, downloadedSize / totalSize));
    },
  });
  await downloader.download();
  return downloader.entrypointFilename;
}
