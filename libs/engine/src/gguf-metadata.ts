import { type FileHandle, open } from 'node:fs/promises';
import type { EmbeddingShape } from '@slipway/contracts';

/** Sizes of the fixed types of a GGUF value, by type number (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md). */
const SIZES: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 };
const STRING = 8;
const ARRAY = 9;
/** Smallest encoding of a string (its length) and of an array (type and length), in bytes. */
const STRING_MIN = 8;
const ARRAY_MIN = 12;
/** Most elements of an array: the largest vocabularies and merge tables have about 600,000. */
const ELEMENTS_MAX = 16 * 1024 * 1024;
/** Most entries and tensors of a file; real files have some hundreds. */
const ENTRIES_MAX = 1024 * 1024;
const DEPTH_MAX = 4;
const WINDOW_BYTES = 1024 * 1024;

/** Reads the numbers of a file in order, through one buffer. */
class Cursor {
  readonly #buffer = Buffer.allocUnsafe(WINDOW_BYTES);
  #from = 0;
  #filled = 0;
  position = 0;

  constructor(
    private readonly file: FileHandle,
    readonly size: number,
  ) {}

  /** True when the file has this many more bytes. */
  holds(bytes: number): boolean {
    return bytes <= this.size - this.position;
  }

  skip(bytes: number): boolean {
    const held = this.holds(bytes);
    this.position += held ? bytes : 0;
    return held;
  }

  /** A number of 32 bits; null at the end of the file. */
  async uint32(): Promise<number | null> {
    const at = await this.#reach(4);
    return at === null ? null : this.#buffer.readUInt32LE(at);
  }

  /** A number of 8 bits; null at the end of the file. */
  async uint8(): Promise<number | null> {
    const at = await this.#reach(1);
    return at === null ? null : this.#buffer.readUInt8(at);
  }

  /** A number of 64 bits, rounded to a double; null at the end of the file. */
  async uint64(): Promise<number | null> {
    const at = await this.#reach(8);
    return at === null ? null : Number(this.#buffer.readBigUInt64LE(at));
  }

  /** A text after its length; '' for one that is longer than `most`, and null at the end of the file. */
  async text(most: number): Promise<string | null> {
    const length = await this.uint64();
    if (length === null) return null;
    if (length > most) return this.skip(length) ? '' : null;
    const at = await this.#reach(length);
    return at === null ? null : this.#buffer.toString('utf8', at, at + length);
  }

  async #reach(bytes: number): Promise<number | null> {
    if (!this.holds(bytes)) return null;
    if (this.position < this.#from || this.position + bytes > this.#from + this.#filled) {
      const { bytesRead } = await this.file.read(this.#buffer, 0, WINDOW_BYTES, this.position);
      this.#from = this.position;
      this.#filled = bytesRead;
      if (bytesRead < bytes) return null;
    }
    const at = this.position - this.#from;
    this.position += bytes;
    return at;
  }
}

async function skipString(cursor: Cursor): Promise<boolean> {
  const length = await cursor.uint64();
  return length !== null && cursor.skip(length);
}

async function skipArray(cursor: Cursor, depth: number): Promise<boolean> {
  const type = await cursor.uint32();
  const count = await cursor.uint64();
  if (type === null || count === null || count > ELEMENTS_MAX) return false;
  const size = SIZES[type];
  if (size !== undefined) return cursor.skip(count * size);
  if ((type !== STRING && type !== ARRAY) || !cursor.holds(count * (type === STRING ? STRING_MIN : ARRAY_MIN))) return false;
  for (let i = 0; i < count; i += 1) if (!(await skipValue(cursor, type, depth + 1))) return false;
  return true;
}

async function skipValue(cursor: Cursor, type: number, depth = 0): Promise<boolean> {
  const size = SIZES[type];
  if (size !== undefined) return cursor.skip(size);
  if (type === STRING) return skipString(cursor);
  return type === ARRAY && depth < DEPTH_MAX && skipArray(cursor, depth);
}

/** What the metadata of a file say; null where they do not fit into it. */
interface Metadata {
  /** How the model joins the vectors of a text's tokens, as GGUF numbers it; null where it does not. */
  readonly pooling: number | null;
}

const NOT_GGUF: Metadata = { pooling: null };
const KEY_CHARS = 256;
const UINT32 = 4;

async function metadataIn(file: FileHandle): Promise<Metadata | null> {
  const { size } = await file.stat();
  const cursor = new Cursor(file, size);
  const [magic, version] = [await cursor.uint32(), await cursor.uint32()];
  // "GGUF" as a little-endian number. llama.cpp recognises other formats by their first bytes.
  if (magic !== 0x46554747 || version === null || version < 2) return NOT_GGUF;
  const [tensors, entries] = [await cursor.uint64(), await cursor.uint64()];
  if (tensors === null || entries === null || tensors > ENTRIES_MAX || entries > ENTRIES_MAX) return null;
  let pooling: number | null = null;
  for (let i = 0; i < entries; i += 1) {
    const value = await poolingIn(cursor);
    if (value === null) return null;
    pooling = value === 'another' ? pooling : value;
  }
  return { pooling };
}

/** Reads one entry; null where it does not fit into the file. */
async function poolingIn(cursor: Cursor): Promise<number | 'another' | null> {
  const key = await cursor.text(KEY_CHARS);
  const type = key === null ? null : await cursor.uint32();
  if (key === null || type === null) return null;
  if (type === UINT32 && key.endsWith('.pooling_type')) return cursor.uint32();
  return (await skipValue(cursor, type)) ? 'another' : null;
}

async function readMetadata(path: string): Promise<Metadata | null> {
  const file = await open(path);
  try {
    return await metadataIn(file);
  } finally {
    await file.close();
  }
}

/**
 * Whether the metadata of a GGUF file fits into the file. llama.cpp and its binding trust the counts in it: an array of 2^32
 * elements in a file of 2 MB allocates gigabytes before anything fails. Reads only the metadata, at most some megabytes.
 */
export const hasSoundMetadata = async (path: string): Promise<boolean> => (await readMetadata(path)) !== null;

/** Poolings that make one vector of a text: mean, first token, last token. The next one, rank, makes a score. */
const POOLINGS: ReadonlySet<number | null | undefined> = new Set([1, 2, 3]);

/** Whether a GGUF file holds a model of embeddings. False for a file that cannot be read, which a load explains. */
export const isEmbeddingModel = async (path: string): Promise<boolean> =>
  POOLINGS.has((await readMetadata(path).catch(() => null))?.pooling);

/** Metadata of the model itself, without the name of its architecture. */
const SHAPE_KEYS: ReadonlySet<string> = new Set([
  ...['pooling_type', 'embedding_length', 'context_length', 'block_count', 'attention.causal'],
  ...['attention.head_count', 'attention.head_count_kv', 'attention.key_length', 'attention.value_length'],
]);
const BOOL = 7;
/** Bytes of a cached number: half precision. */
const CACHE_NUMBER_BYTES = 2;

/** Number of entries of a GGUF file's metadata; 0 for other files. */
async function entriesOf(cursor: Cursor): Promise<number> {
  const [magic, version] = [await cursor.uint32(), await cursor.uint32()];
  if (magic !== 0x46554747 || version === null || version < 2) return 0;
  const [, entries] = [await cursor.uint64(), await cursor.uint64()];
  return Math.min(entries ?? 0, ENTRIES_MAX);
}

/** Reads one entry: a number that is wanted, or null for another one. @throws Error at the vocabulary, and where the file ends */
async function shapeEntry(cursor: Cursor): Promise<readonly [name: string, value: number] | null> {
  const key = await cursor.text(KEY_CHARS);
  const type = key === null || key.startsWith('tokenizer.') ? null : await cursor.uint32();
  if (key === null || type === null) throw new Error('There is no further entry.');
  const name = key.slice(key.indexOf('.') + 1);
  if (SHAPE_KEYS.has(name) && (type === UINT32 || type === BOOL)) {
    return [name, (await (type === UINT32 ? cursor.uint32() : cursor.uint8())) ?? 0];
  }
  if (await skipValue(cursor, type)) return null;
  throw new Error('The entry does not fit into the file.');
}

/** Numbers that begin a file's metadata, by key. Those behind the vocabulary, which is long, are not read. */
async function shapeIn(file: FileHandle): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const { size } = await file.stat();
  const cursor = new Cursor(file, size);
  try {
    for (let left = await entriesOf(cursor); left > 0; left -= 1) {
      const entry = await shapeEntry(cursor);
      if (entry) found.set(...entry);
    }
  } catch {
    // What was read before is what there is.
  }
  return found;
}

/** The shape of a model of embeddings by its file's metadata; null for other models, and for files that cannot be read. */
export async function embeddingShape(path: string): Promise<EmbeddingShape | null> {
  const file = await open(path).catch(() => null);
  if (!file) return null;
  try {
    return shapeOf(await shapeIn(file));
  } finally {
    await file.close();
  }
}

function shapeOf(found: ReadonlyMap<string, number>): EmbeddingShape | null {
  const [width, context] = [found.get('embedding_length'), found.get('context_length')];
  if (!POOLINGS.has(found.get('pooling_type')) || width === undefined || context === undefined) return null;
  const heads = found.get('attention.head_count') ?? 1;
  const perHead = width / Math.max(1, heads);
  const numbers = (found.get('attention.key_length') ?? perHead) + (found.get('attention.value_length') ?? perHead);
  const cached = (found.get('block_count') ?? 0) * (found.get('attention.head_count_kv') ?? heads) * numbers;
  return { width, context, cacheBytes: found.get('attention.causal') === 0 ? 0 : cached * CACHE_NUMBER_BYTES };
}
