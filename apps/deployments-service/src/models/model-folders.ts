import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** A GGUF file. */
export interface ModelFile {
  readonly path: string;
  /** Size of all its parts. */
  readonly bytes: number;
}

/** The model files under the operator's folders. */
export interface FolderListing {
  /** Sorted by path. */
  readonly files: readonly ModelFile[];
  /** True if the folders hold more entries than were read. */
  readonly truncated: boolean;
}

/** Bounds of one listing: levels below the named folders, and entries in all. */
const MAX_DEPTH = 6;
const MAX_ENTRIES = 5_000;
/** How long a listing is reused, in milliseconds. */
const FRESH_MS = 2_000;

/** A part such as `model-00001-of-00003.gguf`. A model is named by its first part. */
const PART = /^(?<name>.+)-\d{5}-of-(?<parts>\d{5})\.gguf$/;

/** Lists the model files under the operator's folders. A link counts only if its target is under one of them. */
export class ModelFolders {
  #listing: Promise<FolderListing> | undefined;
  #readAt = 0;

  constructor(private readonly folders: readonly string[]) {}

  /** Folders that do not exist here or cannot be read count as empty. */
  list(): Promise<FolderListing> {
    const now = performance.now();
    if (!this.#listing || now - this.#readAt >= FRESH_MS) {
      this.#readAt = now;
      this.#listing = listUnder(this.folders);
    }
    return this.#listing;
  }
}

async function listUnder(folders: readonly string[]): Promise<FolderListing> {
  const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)));
  const roots = real.filter((root) => root !== null).map((root) => root + sep);
  const sizes = new Map<string, number>();
  let truncated = false;
  let seen = 0;
  // Breadth first, so that deep folders do not use up the bound before upper ones are listed.
  let level = [...folders];
  for (let depth = 0; level.length > 0 && depth <= MAX_DEPTH; depth += 1) {
    const below: string[] = [];
    for (const folder of level) {
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      seen += entries.length;
      truncated ||= seen > MAX_ENTRIES;
      if (truncated) break;
      below.push(...entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name)));
      const models = entries.filter((entry) => !entry.isDirectory() && entry.name.endsWith('.gguf'));
      for (const { name } of models) await measure(join(folder, name), roots, sizes);
    }
    level = truncated ? [] : below;
  }
  return { files: joinParts(sizes), truncated: truncated || level.length > 0 };
}

async function measure(path: string, roots: readonly string[], sizes: Map<string, number>): Promise<void> {
  const real = await realpath(path).catch(() => null);
  if (real === null || !roots.some((root) => real.startsWith(root))) return;
  const file = await stat(real).catch(() => null);
  if (file?.isFile()) sizes.set(path, file.size);
}

function joinParts(sizes: ReadonlyMap<string, number>): ModelFile[] {
  const totals = new Map<string, number>();
  for (const [path, bytes] of sizes) {
    const part = PART.exec(path)?.groups;
    const first = part ? `${part['name']}-00001-of-${part['parts']}.gguf` : path;
    totals.set(first, (totals.get(first) ?? 0) + bytes);
  }
  // Parts without a first part are no usable model.
  const files = [...totals].filter(([path]) => sizes.has(path)).map(([path, bytes]) => ({ path, bytes }));
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}
