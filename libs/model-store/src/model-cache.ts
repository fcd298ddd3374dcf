import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { DownloadedModel } from './download-messages.js';
import { folderSize } from './folder-size.js';

const ENTRY_FILE = 'entry.json';
/** Entries of older versions lack `sha256` and `verified`. */
const Entry = z.object({
  uri: z.string(),
  file: z.string().min(1),
  sha256: z.string().optional(),
  verified: z.boolean().optional(),
});
/** Agents touch the models that they use more often than this. */
const IN_USE_MS = 120_000;
const TRASH = '.trash-';

/** A model that an assignment asks for. */
export interface WantedModel {
  readonly uri: string;
  /** SHA-256 that the file must have; absent = any. */
  readonly sha256?: string | undefined;
}

/** A model in the cache. */
export interface CachedModel {
  readonly uri: string;
  readonly path: string;
  /** Whether its checksum equals the one in the assignment or from the server. */
  readonly verified: boolean;
}

/** Cache key of a wanted model. The same URI with and without a checksum has two keys. */
export const digestOf = ({ uri, sha256 }: WantedModel): string =>
  createHash('sha256')
    .update(sha256 === undefined ? uri : `${uri}\n${sha256}`)
    .digest('hex');

/** Complete models, one folder each. A folder gets its name only once the download is complete. */
export class ModelCache {
  /** When this process last touched an entry. */
  readonly #touched = new Map<string, number>();
  #uris: readonly string[] = [];

  constructor(private readonly folder: string) {}

  /** URIs of the models found by the last refresh. */
  get uris(): readonly string[] {
    return this.#uris;
  }

  /** Reads the folder, and finishes interrupted removals. */
  async refresh(): Promise<void> {
    const uris = new Set<string>();
    for (const name of await readdir(this.folder)) {
      if (name.startsWith(TRASH)) await rm(join(this.folder, name), { recursive: true, force: true });
      const entry = await this.#entry(name);
      if (entry) uris.add(entry.uri);
    }
    this.#uris = [...uris];
  }

  /** The model; null = not in the cache. */
  async find(wanted: WantedModel): Promise<CachedModel | null> {
    const own = await this.#model(digestOf(wanted));
    if (own || wanted.sha256 === undefined) return own;
    const unchecked = digestOf({ uri: wanted.uri });
    if ((await this.#entry(unchecked))?.sha256 !== wanted.sha256) return null;
    const model = await this.#model(unchecked);
    return model && { ...model, verified: true };
  }

  /** Moves a folder with a complete model into the cache. If another agent was faster, its copy is used. */
  async publish(folder: string, wanted: WantedModel, model: DownloadedModel): Promise<CachedModel> {
    const { file, sha256, verified } = model;
    await writeFile(join(folder, ENTRY_FILE), JSON.stringify({ uri: wanted.uri, file, sha256, verified }));
    const target = join(this.folder, digestOf(wanted));
    await rename(folder, target).catch(async (error: unknown) => {
      if (!(await this.#entry(digestOf(wanted)))) throw error;
    });
    this.#uris = [...new Set([...this.#uris, wanted.uri])];
    await this.touch([digestOf(wanted)]);
    return { uri: wanted.uri, path: join(target, file), verified };
  }

  /** Bytes on disk, including partial downloads. */
  async size(): Promise<number> {
    return (await folderSize(this.folder)).bytes;
  }

  /** Marks models as in use for the other agents. */
  async touch(digests: readonly string[]): Promise<void> {
    const now = Math.floor(Date.now() / 1000) * 1000;
    for (const digest of digests) {
      const path = join(this.folder, digest, ENTRY_FILE);
      await utimes(path, now / 1000, now / 1000).then(
        () => this.#touched.set(digest, now),
        () => this.#touched.delete(digest),
      );
    }
  }

  /**
   * Removes the least recently used models until `bytes` are free. Models in use here or by another agent stay.
   * @returns whether enough was freed.
   */
  async evict(bytes: number, inUse: (digest: string) => boolean): Promise<boolean> {
    let freed = 0;
    for (const { digest, size } of await this.#evictable(inUse)) {
      if (freed >= bytes) break;
      await this.remove(digest);
      freed += size;
    }
    await this.refresh();
    return freed >= bytes;
  }

  /** Removes a model. Processes that have loaded it keep its open file. */
  async remove(digest: string): Promise<void> {
    const trash = join(this.folder, `${TRASH}${randomUUID()}`);
    // Renamed first, so that no process finds half of it. Another agent may have removed it already.
    await rename(join(this.folder, digest), trash).catch(() => undefined);
    await rm(trash, { recursive: true, force: true });
    this.#touched.delete(digest);
    await this.refresh();
  }

  async #evictable(inUse: (digest: string) => boolean): Promise<{ digest: string; size: number }[]> {
    const found: { digest: string; size: number; usedAt: number }[] = [];
    for (const digest of await readdir(this.folder)) {
      const usedAt = await this.#usedAt(digest);
      if (usedAt === null || inUse(digest)) continue;
      const byOthers = usedAt !== this.#touched.get(digest) && Date.now() - usedAt < IN_USE_MS;
      if (!byOthers) found.push({ digest, usedAt, size: (await folderSize(join(this.folder, digest))).bytes });
    }
    return found.toSorted((a, b) => a.usedAt - b.usedAt);
  }

  async #usedAt(digest: string): Promise<number | null> {
    if (!(await this.#entry(digest))) return null;
    const facts = await stat(join(this.folder, digest, ENTRY_FILE)).catch(() => null);
    return facts && Math.floor(facts.mtimeMs);
  }

  async #model(digest: string): Promise<CachedModel | null> {
    const entry = await this.#entry(digest);
    return entry && { uri: entry.uri, path: join(this.folder, digest, entry.file), verified: entry.verified ?? false };
  }

  async #entry(digest: string): Promise<z.infer<typeof Entry> | null> {
    if (!/^[0-9a-f]{64}$/.test(digest)) return null;
    try {
      return Entry.parse(JSON.parse(await readFile(join(this.folder, digest, ENTRY_FILE), 'utf8')));
    } catch {
      return null;
    }
  }
}
