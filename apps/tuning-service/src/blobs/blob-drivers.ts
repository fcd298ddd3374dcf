import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { RawReader } from './sealed-file.js';

/** Where the bytes of blobs are kept. Names are `12/ab/cd/<sha256>`; what is stored under a name never changes. */
export interface BlobDriver {
  /** Stores a complete local file, which is moved or read and removed. Durable once it resolves. */
  put(name: string, path: string): Promise<void>;
  /** Reads `[start, end)` of what is stored. */
  read(name: string): RawReader;
  /** The stored file on this machine, for a thread to read; `done` when it is no longer read. */
  local(name: string): Promise<{ path: string; done(): Promise<void> }>;
  remove(name: string): Promise<void>;
  /** Part of the store's room that is free, 0 to 1, and its bytes; null = unknown, as in S3. */
  room(): Promise<{ free: number; bytes: number } | null>;
}

const rangeOf =
  (path: string): RawReader =>
  (start, end) =>
    end > start ? createReadStream(path, { start, end: end - 1, highWaterMark: 256 * 1024 }) : Readable.from([]);

/** Keeps blobs in a folder. */
export class FolderDriver implements BlobDriver {
  constructor(private readonly folder: string) {}

  async put(name: string, path: string): Promise<void> {
    const target = join(this.folder, name);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await rename(path, target);
    const folder = await open(dirname(target), 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  read(name: string): RawReader {
    return rangeOf(join(this.folder, name));
  }

  local(name: string): Promise<{ path: string; done(): Promise<void> }> {
    return Promise.resolve({ path: join(this.folder, name), done: () => Promise.resolve() });
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.folder, name), { force: true });
  }

  async room(): Promise<{ free: number; bytes: number } | null> {
    const { bavail, blocks, bsize } = await statfs(this.folder);
    return { free: blocks === 0 ? 1 : bavail / blocks, bytes: bavail * bsize };
  }
}
