import { createCipheriv, createDecipheriv, createHash, type Hash, randomBytes } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { ServiceError } from '@slipway/contracts/plain';

const CIPHER = 'aes-256-gcm';
const PREFIX_BYTES = 8;
const TAG_BYTES = 16;
/** Plain bytes of one sealed chunk. */
const CHUNK_BYTES = 64 * 1024;
const SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES;

/** A sealed file that was changed or cut. The message contains nothing of it. */
class UnreadableBlobError extends Error {
  override readonly name = 'UnreadableBlobError';
}

/** Nonce of a chunk: random for the file, then its number. Bound to whether it is the last one, so that a cut file does not open. */
function nonceOf(prefix: Buffer, no: number): Buffer {
  const nonce = Buffer.alloc(PREFIX_BYTES + 4);
  prefix.copy(nonce);
  nonce.writeUInt32BE(no, PREFIX_BYTES);
  return nonce;
}

const lastMark = (isLast: boolean): Buffer => Buffer.from([isLast ? 1 : 0]);

/** Where the bytes of a sealed or plain file come from: `[start, end)` of what is stored. */
export type RawReader = (start: number, end: number) => Promise<Readable> | Readable;

/** A stored file. */
export interface StoredBytes {
  readonly raw: RawReader;
  /** Null = the file is not sealed. */
  readonly key: Buffer | null;
  /** Plain bytes. */
  readonly bytes: number;
}

/**
 * Plain bytes `[start, end)` of a stored file.
 * @throws UnreadableBlobError when a sealed chunk was changed
 */
export async function* readStored({ raw, key, bytes }: StoredBytes, start = 0, end = bytes): AsyncGenerator<Buffer> {
  if (start >= end) return;
  if (key === null) {
    yield* (await raw(start, end)) as AsyncIterable<Buffer>;
    return;
  }
  const [prefix] = await chunksOf(await raw(0, PREFIX_BYTES), PREFIX_BYTES);
  const [first, last] = [Math.floor(start / CHUNK_BYTES), Math.floor((end - 1) / CHUNK_BYTES)];
  const final = Math.max(0, Math.ceil(bytes / CHUNK_BYTES) - 1);
  const from = PREFIX_BYTES + first * SEALED_CHUNK_BYTES;
  const until = PREFIX_BYTES + Math.min(bytes + (final + 1) * TAG_BYTES, (last + 1) * SEALED_CHUNK_BYTES);
  let no = first;
  for await (const sealed of inChunks(await raw(from, until), SEALED_CHUNK_BYTES)) {
    const plain = openChunk(sealed, { key, nonce: nonceOf(prefix ?? Buffer.alloc(PREFIX_BYTES), no), isLast: no === final });
    const at = no * CHUNK_BYTES;
    yield plain.subarray(Math.max(0, start - at), Math.min(plain.length, end - at));
    no += 1;
  }
  if (no <= last) throw new UnreadableBlobError('A stored file ends too early.');
}

function openChunk(sealed: Buffer, { key, nonce, isLast }: { key: Buffer; nonce: Buffer; isLast: boolean }): Buffer {
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(lastMark(isLast));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch (error) {
    throw new UnreadableBlobError('A stored file was changed.', { cause: error });
  }
}

async function* inChunks(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let held = 0;
  for await (const piece of source) {
    waiting.push(piece);
    held += piece.length;
    if (held < size) continue;
    const all = Buffer.concat(waiting, held);
    let at = 0;
    for (; all.length - at >= size; at += size) yield all.subarray(at, at + size);
    waiting = [all.subarray(at)];
    held = all.length - at;
  }
  if (held > 0) yield Buffer.concat(waiting, held);
}

async function chunksOf(source: AsyncIterable<Buffer>, size: number): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of inChunks(source, size)) chunks.push(chunk);
  return chunks;
}

/** A file that is complete on this machine, under its temporary name. */
export interface StagedFile {
  readonly path: string;
  /** Of the plain bytes. */
  readonly sha256: string;
  readonly bytes: number;
  readonly isSealed: boolean;
}

/** Sealed pieces that are written at once, three for each chunk. */
const WRITTEN_TOGETHER = 12;

const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** The refusal of bytes for which the blob store has no room. */
export const noRoom = (): ServiceError =>
  new ServiceError('no_disk', 'The blob store has too little room left. The operator must free some.', { retryAfterS: 60 });

/** Writes a file under a temporary name, sealed where there is a key, and counts and hashes its plain bytes. */
export class StagedWriter {
  readonly #hash: Hash = createHash('sha256');
  readonly #prefix = randomBytes(PREFIX_BYTES);
  #bytes = 0;
  #chunks = 0;
  #isBroken = false;
  /** Plain bytes of the chunk that is being filled. */
  readonly #chunk: Buffer;
  #filled = 0;
  /** Sealed chunks that are not written yet. */
  #sealed: Buffer[] = [];

  private constructor(
    readonly path: string,
    private readonly file: FileHandle,
    private readonly key: Buffer | null,
  ) {
    this.#chunk = Buffer.allocUnsafe(key === null ? 0 : CHUNK_BYTES);
    if (key !== null) this.#sealed.push(this.#prefix);
  }

  /** @param key null = the file is not sealed */
  static async create(path: string, key: Buffer | null): Promise<StagedWriter> {
    return new StagedWriter(path, await open(path, 'wx', 0o600), key);
  }

  /** Plain bytes so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a write failed: the file then ends somewhere before `bytes`, and is of no use. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** @throws ServiceError `no_disk` when it does not fit */
  async write(piece: Uint8Array): Promise<void> {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    if (this.key === null) return this.#append(bytes);
    for (let at = 0; at < bytes.length;) {
      // A full chunk stays until more comes: it may be the last one, which is marked.
      if (this.#filled === CHUNK_BYTES) this.#seal(false);
      const taken = bytes.copy(this.#chunk, this.#filled, at);
      this.#filled += taken;
      at += taken;
    }
    if (this.#sealed.length >= WRITTEN_TOGETHER) await this.#flush();
  }

  /** Completes the file; it survives a crash of the machine from then on. @throws ServiceError `no_disk` when it does not fit */
  async finish(): Promise<StagedFile> {
    if (this.key !== null && this.#bytes > 0) this.#seal(true);
    await this.#flush();
    await this.#attempt(() => this.file.datasync());
    await this.file.close();
    return { path: this.path, sha256: this.#hash.digest('hex'), bytes: this.#bytes, isSealed: this.key !== null };
  }

  /** Removes the file. */
  async discard(): Promise<void> {
    await this.file.close().catch(() => undefined);
    await rm(this.path, { force: true });
  }

  async #flush(): Promise<void> {
    if (this.#sealed.length > 0) await this.#append(Buffer.concat(this.#sealed.splice(0)));
  }

  #append(bytes: Buffer): Promise<void> {
    return this.#attempt(() => this.file.writeFile(bytes));
  }

  async #attempt(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#isBroken = true;
      throw FULL.has((error as NodeJS.ErrnoException).code ?? '') ? noRoom() : error;
    }
  }

  #seal(isLast: boolean): void {
    const cipher = createCipheriv(CIPHER, this.key as Buffer, nonceOf(this.#prefix, this.#chunks), { authTagLength: TAG_BYTES });
    this.#chunks += 1;
    cipher.setAAD(lastMark(isLast));
    this.#sealed.push(cipher.update(this.#chunk.subarray(0, this.#filled)), cipher.final(), cipher.getAuthTag());
    this.#filled = 0;
  }
}
