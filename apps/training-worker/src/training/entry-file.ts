import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a rendered example lies in its file. */
export interface Entry {
  readonly at: number;
  readonly bytes: number;
}

/** Order, place and length of an entry, in bytes. */
const ENTRY_BYTES = 20;
/** Files that divide the entries by their order: one of them is sorted in memory at a time. */
const PARTS = 64;
const BUFFER_BYTES = 256 * ENTRY_BYTES;

/** A file of entries whose order lies in one range. */
class Part {
  #file: FileHandle | undefined;
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #used = 0;
  #written = 0;

  constructor(private readonly path: string) {}

  async add({ at, bytes }: Entry, order: number): Promise<void> {
    if (this.#used === BUFFER_BYTES) await this.#flush();
    this.#buffer.writeDoubleLE(order, this.#used);
    this.#buffer.writeDoubleLE(at, this.#used + 8);
    this.#buffer.writeUInt32LE(bytes, this.#used + 16);
    this.#used += ENTRY_BYTES;
  }

  async *sorted(): AsyncGenerator<Entry> {
    await this.#flush();
    const all = Buffer.allocUnsafe(this.#written);
    await this.#file?.read(all, 0, all.length, 0);
    const starts = Uint32Array.from({ length: all.length / ENTRY_BYTES }, (_, i) => i * ENTRY_BYTES);
    starts.sort((a, b) => all.readDoubleLE(a) - all.readDoubleLE(b));
    for (const start of starts) yield { at: all.readDoubleLE(start + 8), bytes: all.readUInt32LE(start + 16) };
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #flush(): Promise<void> {
    if (this.#used === 0) return;
    this.#file ??= await open(this.path, 'w+');
    await this.#file.write(this.#buffer, 0, this.#used, this.#written);
    this.#written += this.#used;
    this.#used = 0;
  }
}

/** Entries on the disk, however many, which are read in the order that was given with each: a 64th of them is in memory at a time. */
export class EntryFile {
  readonly #parts: readonly Part[];
  #count = 0;

  /** @param folder of its files, which must exist */
  constructor(folder: string) {
    this.#parts = Array.from({ length: PARTS }, (_, i) => new Part(join(folder, `order-${i}`)));
  }

  get count(): number {
    return this.#count;
  }

  /** @param order from 0 to 1, spread evenly */
  async add(entry: Entry, order: number): Promise<void> {
    this.#count += 1;
    await this.#parts[Math.min(PARTS - 1, Math.floor(order * PARTS))]?.add(entry, order);
  }

  async *inOrder(): AsyncGenerator<Entry> {
    for (const part of this.#parts) yield* part.sorted();
  }

  async close(): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.close()));
  }
}
