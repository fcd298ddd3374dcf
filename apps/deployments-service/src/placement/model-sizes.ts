import { stat } from 'node:fs/promises';
import { fileOf, type ModelSource } from '@slipway/contracts';

/** How long a size that was read counts, in milliseconds: a file may be replaced or appear. */
const FRESH_MS = 10_000;

/** Sizes of model files that this machine can see. */
export class ModelSizes {
  readonly #sizes = new Map<string, { readonly bytes: number | null; readonly readAt: number }>();

  /** Bytes of the file, or null when it is not here: on workers only, or still to be downloaded. */
  async bytesOf(source: ModelSource): Promise<number | null> {
    const path = fileOf(source);
    if (path === null) return null;
    const known = this.#sizes.get(path);
    if (known && performance.now() - known.readAt < FRESH_MS) return known.bytes;
    const bytes = await sizeOf(path);
    this.#sizes.set(path, { bytes, readAt: performance.now() });
    return bytes;
  }
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    const file = await stat(path);
    return file.isFile() ? file.size : null;
  } catch {
    return null;
  }
}
