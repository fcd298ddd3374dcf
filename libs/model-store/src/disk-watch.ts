import fs from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';

/** Bytes that may wait for the disk before the network has to. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/**
 * Sees every write to files that `fs.promises.open` opens in this process from its construction on. The download library
 * neither waits for its writes nor gives up failing ones soon: a slow disk would fill the memory, a full one go unnoticed.
 */
export class DiskWatch {
  #waitingBytes = 0;
  #writes = 0;
  #waiting: (() => void)[] = [];

  /** @param failed is told of every write that failed. */
  constructor(private readonly failed: (error: unknown) => void) {
    const open = fs.open.bind(fs);
    fs.open = async (...file) => this.#watched(await open(...file));
  }

  /** Resolves when more may be written. */
  async ready(): Promise<void> {
    while (this.#waitingBytes > MAX_WAITING_BYTES) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Resolves when nothing is being written, nor about to be by what already runs. */
  async quiet(): Promise<void> {
    for (let turns = 0; turns < 3; turns += 1) {
      if (this.#writes > 0) turns = 0;
      await turn();
    }
  }

  #watched(handle: fs.FileHandle): fs.FileHandle {
    const write = handle.write.bind(handle) as (buffer: Uint8Array, ...rest: unknown[]) => Promise<unknown>;
    const watched = async (buffer: Uint8Array, ...rest: unknown[]): Promise<unknown> => {
      this.#count(1, buffer.byteLength);
      try {
        return await write(buffer, ...rest);
      } catch (error) {
        this.failed(error);
        throw error;
      } finally {
        this.#count(-1, -buffer.byteLength);
      }
    };
    return Object.assign(handle, { write: watched });
  }

  #count(writes: number, bytes: number): void {
    this.#writes += writes;
    this.#waitingBytes += bytes;
    if (this.#waitingBytes <= MAX_WAITING_BYTES) for (const resume of this.#waiting.splice(0)) resume();
  }
}
