import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { bootMark, markOf } from './process-mark.js';

const FILE = 'state.json';
const State = z.object({
  /** Process that writes the files. */
  writer: z.string(),
  boot: z.string(),
  /** Whether the writer ended after its last write, and not in the middle of one. */
  orderly: z.boolean(),
  /** What the servers said of each file, by its address: unequal where the file has changed. */
  stamps: z.record(z.string(), z.string()),
});
type State = z.infer<typeof State>;

/** What is known of a half download beside its bytes. */
export class PartialState {
  constructor(
    private readonly folder: string,
    private readonly state: State | null,
  ) {}

  /** Reads what an earlier process left, if any did. */
  static async read(folder: string): Promise<PartialState> {
    const text = await readFile(join(folder, FILE), 'utf8').catch(() => '');
    try {
      return new PartialState(folder, State.parse(JSON.parse(text)));
    } catch {
      return new PartialState(folder, null);
    }
  }

  /** Mark of the process that wrote last; null when none did. */
  get writer(): string | null {
    return this.state?.writer ?? null;
  }

  /** The bytes on the disk are those that came: the writer ended in order, and the machine has run since. */
  get sound(): boolean {
    return this.state !== null && this.state.orderly && this.state.boot !== '' && this.state.boot === bootMark();
  }

  /** Every file has a stamp now and had the same one then. */
  matches(stamps: ReadonlyMap<string, string | null>): boolean {
    return [...stamps].every(([address, stamp]) => stamp !== null && this.state?.stamps[address] === stamp);
  }

  /** From here on the files are in the making. */
  async begin(stamps: ReadonlyMap<string, string | null>): Promise<PartialState> {
    const known = [...stamps].filter((entry): entry is [string, string] => entry[1] !== null);
    return this.#write({ writer: markOf(process.pid), boot: bootMark(), orderly: false, stamps: Object.fromEntries(known) });
  }

  /** Nothing is being written any more. */
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
