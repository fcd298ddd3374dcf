import { createHash, type Hash } from 'node:crypto';
import { access, type FileHandle, link, open, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Header } from 'tar';
import { ARCHIVE_FORMAT, type Manifest, partName } from './manifest.js';

const compress = promisify(gzip);

/** A tar archive consists of blocks of this size, in bytes. */
export const BLOCK = 512;
/** Members of an archive that are no table. */
export const MANIFEST_MEMBER = 'manifest.json';
/** The last member: SHA-256 of everything before it. */
export const SUM_MEMBER = 'sha256';
/** Bytes of rows in one member, so that neither side ever holds more. One row may be larger. */
const PART_BYTES = 2 ** 20;
/** A third of the time of the usual level, for a tenth more bytes. */
const GZIP = { level: 3 };

/** What was written under one name. */
export interface Written {
  /** Before compression. */
  readonly bytes: number;
  readonly sha256: string;
  readonly parts: number;
}

/**
 * Writes a backup archive: a tar file of compressed parts, then the manifest, then a hash of everything. It appears under its name
 * only when it is whole; only its owner may read it.
 */
export class ArchiveWriter {
  readonly #hash: Hash = createHash('sha256');
  readonly #modified = new Date();

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
  ) {}

  /** @throws when a file of this name exists, or cannot be made */
  static async create(path: string): Promise<ArchiveWriter> {
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) throw new Error(`${path} exists, and no archive is replaced.`);
    // What an interrupted backup left.
    await rm(`${path}.part`, { force: true });
    return new ArchiveWriter(path, await open(`${path}.part`, 'wx', 0o600));
  }

  /** Writes a stream of bytes as parts of a folder. */
  async addParts(folder: string, source: AsyncIterable<Buffer>): Promise<Written> {
    const sum = createHash('sha256');
    let [bytes, parts, held, gathered] = [0, 0, 0, [] as Buffer[]];
    const flush = async (): Promise<void> => {
      const whole = Buffer.concat(gathered, held);
      sum.update(whole);
      [bytes, parts, held, gathered] = [bytes + whole.length, parts + 1, 0, []];
      await this.#add(partName(folder, parts), await compress(whole, GZIP));
    };
    for await (const chunk of source) {
      gathered.push(chunk);
      held += chunk.length;
      if (held >= PART_BYTES) await flush();
    }
    if (held > 0) await flush();
    return { bytes, sha256: sum.digest('hex'), parts };
  }

  /** Ends the archive: it is durable and has its name when this resolves. */
  async finish(manifest: Omit<Manifest, 'format'>): Promise<void> {
    await this.#add(MANIFEST_MEMBER, Buffer.from(`${JSON.stringify({ format: ARCHIVE_FORMAT, ...manifest }, null, 2)}\n`));
    await this.#add(SUM_MEMBER, Buffer.from(`${this.#hash.copy().digest('hex')}\n`));
    await this.#write(Buffer.alloc(2 * BLOCK));
    await this.file.sync();
    await this.file.close();
    await link(`${this.path}.part`, this.path);
    await rm(`${this.path}.part`);
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    await this.file.close().catch(() => undefined);
    await rm(`${this.path}.part`, { force: true });
  }

  async #add(path: string, body: Buffer): Promise<void> {
    const header = Buffer.alloc(BLOCK);
    new Header({ path, mode: 0o600, uid: 0, gid: 0, size: body.length, mtime: this.#modified, type: 'File' }).encode(header, 0);
    await this.#write(header);
    await this.#write(body);
    await this.#write(Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK));
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes);
    for (let from = 0; from < bytes.length;) from += (await this.file.write(bytes, from)).bytesWritten;
  }
}
