import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { partsOf } from './file-version.js';

const FILE = 'file-hashes.json';
const Known = z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/));
const KNOWN_MAX = 1_000;
/** The agent relays streams meanwhile: a piece is hashed in less than 1 ms. */
const PIECE_BYTES = 256 * 1024;

/** SHA-256 of a whole file, and what its identity was then. */
export interface FileHash {
  /** In hex; of a model in several parts, of all of them in their order. */
  readonly sha256: string;
  /** Changes when the file is replaced or written: device, inode, size and times of each part. */
  readonly identity: string;
}

/** Device, inode, size and times of all parts of a file. @throws what the file system throws */
export async function fileIdentity(path: string): Promise<string> {
  const facts = await Promise.all(partsOf(path).map((part) => stat(part, { bigint: true })));
  return facts.map(({ dev, ino, size, mtimeNs, ctimeNs }) => [dev, ino, size, mtimeNs, ctimeNs].join(':')).join(' ');
}

/** SHA-256 of whole files: each is read once on a host until it changes, also over restarts. */
export class FileHashes {
  readonly #path: string;
  readonly #running = new Map<string, Promise<string>>();
  #known: Record<string, string> | undefined;

  /** @param folder in which the hashes are remembered; agents of one host may share it */
  constructor(folder: string) {
    this.#path = join(folder, FILE);
  }

  /** @throws what the file system throws */
  async of(path: string): Promise<FileHash> {
    const identity = await fileIdentity(path);
    this.#known ??= await this.#read();
    const known = this.#known[identity];
    if (known !== undefined) return { sha256: known, identity };
    const hashing = this.#running.get(identity) ?? this.#hash(path, identity);
    this.#running.set(identity, hashing);
    try {
      return { sha256: await hashing, identity };
    } finally {
      this.#running.delete(identity);
    }
  }

  async #hash(path: string, identity: string): Promise<string> {
    const hash = createHash('sha256');
    for (const part of partsOf(path)) {
      for await (const piece of createReadStream(part, { highWaterMark: PIECE_BYTES })) hash.update(piece as Buffer);
    }
    const sha256 = hash.digest('hex');
    // Written meanwhile: the hash is of neither version.
    if ((await fileIdentity(path)) === identity) await this.#remember(identity, sha256);
    return sha256;
  }

  async #remember(identity: string, sha256: string): Promise<void> {
    const all = Object.entries({ ...(await this.#read()), ...this.#known, [identity]: sha256 });
    this.#known = Object.fromEntries(all.slice(-KNOWN_MAX));
    const next = `${this.#path}.${process.pid}`;
    try {
      await writeFile(next, JSON.stringify(this.#known));
      await rename(next, this.#path);
    } catch {
      // Without the file each process hashes for itself.
    }
  }

  async #read(): Promise<Record<string, string>> {
    try {
      return Known.parse(JSON.parse(await readFile(this.#path, 'utf8')));
    } catch {
      return {};
    }
  }
}
