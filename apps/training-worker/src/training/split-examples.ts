import { createHash } from 'node:crypto';
import { PLACES } from '@slipway/datasets';
import { TrainingFault } from '../training-fault.js';
import { type Entry, EntryFile } from './entry-file.js';
import type { JobSettings } from './training-job.js';

/** Held-out examples at most. */
export const HELD_MOST = 500;

/** The two sides of a split. */
export interface Sides {
  readonly train: EntryFile;
  /** In their order; at most 500. */
  readonly held: readonly Entry[];
}

interface Ordered {
  readonly entry: Entry;
  readonly order: number;
}

/** Decides the order of examples by the seed: a number from 0 to 1. */
const orderOf = (...parts: (string | number)[]): number =>
  Number.parseInt(createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 13), 16) / 2 ** 52;

const byOrder = (a: Ordered, b: Ordered): number => a.order - b.order;

/** The examples of the 500 lowest places, at most 500 of each: of all that are held out, those that can be measured. */
class HeldOut {
  readonly #lowest = new Map<number, Ordered[]>();
  #highest = -1;
  count = 0;

  add(entry: Entry, order: number, place: number): void {
    this.count += 1;
    const known = this.#lowest.get(place);
    if (known) {
      known.push({ entry, order });
      if (known.length >= 2 * HELD_MOST) known.sort(byOrder).length = HELD_MOST;
      return;
    }
    const isFull = this.#lowest.size === HELD_MOST;
    if (isFull && place > this.#highest) return;
    if (isFull) this.#lowest.delete(this.#highest);
    this.#lowest.set(place, [{ entry, order }]);
    this.#highest = Math.max(...this.#lowest.keys());
  }

  inOrder(): Entry[] {
    const all = [...this.#lowest.values()].flat().sort(byOrder);
    return all.slice(0, HELD_MOST).map(({ entry }) => entry);
  }
}

/**
 * Divides examples by the places of their prompts, whatever else the data set holds: so no version holds out what another one learns.
 * Of the prompts that are held out the first 500 are measured, and the others are not used. Memory does not grow with the examples.
 */
export class Splitter {
  readonly #train: EntryFile;
  readonly #held = new HeldOut();
  readonly #learned: ReadonlySet<number>;

  /** @param folder of its files, which must exist */
  constructor(
    private readonly settings: Pick<JobSettings, 'seed' | 'heldOut' | 'learned'>,
    folder: string,
  ) {
    this.#learned = new Set(settings.learned);
    this.#train = new EntryFile(folder);
  }

  async add(entry: Entry, line: string, place: number): Promise<void> {
    const { seed, heldOut } = this.settings;
    const order = orderOf(seed, line, this.count);
    if (place < heldOut * PLACES && !this.#learned.has(place)) this.#held.add(entry, order, place);
    else await this.#train.add(entry, order);
  }

  get count(): number {
    return this.#train.count + this.#held.count;
  }

  /** @throws TrainingFault `dataset_invalid` when all of it is held out */
  sides(): Sides {
    if (this.#train.count === 0) throw allHeldOut(this.#held.count);
    return { train: this.#train, held: this.#held.inOrder() };
  }

  close(): Promise<void> {
    return this.#train.close();
  }
}

function allHeldOut(count: number): TrainingFault {
  const message = `All ${count} examples have prompts that this data set holds out. Add other prompts, or train with nothing held out.`;
  return new TrainingFault('dataset_invalid', message, { count });
}
