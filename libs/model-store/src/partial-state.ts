import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { bootId, processIdentity } from './process-identity.js';

const FILE = 'state.json';
const State = z.object({
  /** Identity of the process that writes the files. */
  writer: z.string(),
  boot: z.string(),
  /** Whether the writer finished its last write. */
  orderly: z.boolean(),
  /** Validator of each file by its URL; differs when the file has changed. */
  stamps: z.record(z.string(), z.string()),
});
type State = z.infer<typeof State>;

/** State of a partial download beside its bytes. */
export class PartialState {
  constructor(
    private readonly folder: string,
    private readonly state: State | null,
  ) {}

  /** Reads the state that an earlier process left; empty where there is none. */
  static async read(folder: string): Promise<PartialState> {
    const text = await readFile(join(folder, FILE), 'utf8').catch(() => '');
    try {
      return new PartialState(folder, State.parse(JSON.parse(text)));
    } catch {
      return new PartialState(folder, null);
    }
  }

  /** Identity of the last writer; null = none. */
  get writer(): string | null {
    return this.state?.writer ?? null;
  }

  /** Whether the bytes on disk are the ones received: the writer ended in order, and the machine has not restarted. */
  get sound(): boolean {
    return this.state !== null && this.state.orderly && this.state.boot !== '' && this.state.boot === bootId();
  }

  /** Whether every file has the same validator as before. */
  matches(stamps: ReadonlyMap<string, string | null>): boolean {
    return [...stamps].every(([address, stamp]) => stamp !== null && this.state?.stamps[address] === stamp);
  }

  /** Notes that this process begins to write. */
  async begin(stamps: ReadonlyMap<string, string | null>): Promise<PartialState> {
    const known = [...stamps].filter((entry): entry is [string, string] => entry[1] !== null);
    return this.#write({ writer: processIdentity(process.pid), boot: bootId(), orderly: false, stamps: Object.fromEntries(known) });
  }

  /** Notes that the writer has ended in order. */
  async close(): Promise<void> {
    if (this.state) await this.#write({ ...this.state, orderly: true });
  }

  async #write(state: State): Promise<PartialState> {
    const path = join(this.folder, FILE);
    await writeFile(`${path}.new`, JSON.stringify(state));
    await rename(`${path}.new`, path);
    return new PartialState(this.folder, state);
  }
}
