import { createHash } from 'node:crypto';
import { PLACES } from '@slipway/datasets';
import { TrainingFault } from '../training-fault.js';
import type { JobSettings } from './training-job.js';

/** Held-out examples at most. */
export const HELD_MOST = 500;

/** Examples for which there is room at first. */
const FIRST_ROOM = 1_024;

/** Where rendered examples lie in their file, 20 bytes each: there may be millions. */
class Entries {
  #at = new Float64Array(FIRST_ROOM);
  #order = new Float64Array(FIRST_ROOM);
  #bytes = new Uint32Array(FIRST_ROOM);
  #count = 0;
  readonly places: number[] = [];

  get count(): number {
    return this.#count;
  }

  add(entry: Entry, order: number, place?: number): void {
    const at = this.#count;
    if (at === this.#at.length) this.#grow();
    this.#at[at] = entry.at;
    this.#bytes[at] = entry.bytes;
    this.#order[at] = order;
    this.#count += 1;
    if (place !== undefined) this.places.push(place);
  }

  /** Numbers of the entries in the order of training. */
  inOrder(): Uint32Array {
    const order = this.#order;
    const numbers = new Uint32Array(this.#count);
    for (let i = 0; i < numbers.length; i += 1) numbers[i] = i;
    return numbers.sort((a, b) => (order[a] ?? 0) - (order[b] ?? 0));
  }

  entry(number: number): Entry {
    return { at: this.#at[number] ?? 0, bytes: this.#bytes[number] ?? 0 };
  }

  #grow(): void {
    const room = 2 * this.#count;
    const [at, order, bytes] = [new Float64Array(room), new Float64Array(room), new Uint32Array(room)];
    at.set(this.#at);
    order.set(this.#order);
    bytes.set(this.#bytes);
    [this.#at, this.#order, this.#bytes] = [at, order, bytes];
  }
}

/** Where a rendered example lies in its file. */
export interface Entry {
  readonly at: number;
  readonly bytes: number;
}

/** Entries of one side of the split, in the order of training. */
export interface Side {
  readonly entries: Entries;
  readonly order: Uint32Array;
}

/** Decides the order of examples by the seed: a number from 0 to 1. */
const orderOf = (...parts: (string | number)[]): number =>
  Number.parseInt(createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 13), 16) / 2 ** 52;

/**
 * Divides examples by the places of their prompts, whatever else the data set holds: so no version holds out what another one learns.
 * Of the prompts that are held out the first 500 are measured, and the others are not used.
 */
export class Splitter {
  readonly #train = new Entries();
  readonly #held = new Entries();
  readonly #learned: ReadonlySet<number>;

  constructor(private readonly settings: Pick<JobSettings, 'seed' | 'heldOut' | 'learned'>) {
    this.#learned = new Set(settings.learned);
  }

  add(entry: Entry, line: string, place: number): void {
    const { seed, heldOut } = this.settings;
    const order = orderOf(seed, line, this.count);
    if (place < heldOut * PLACES && !this.#learned.has(place)) this.#held.add(entry, order, place);
    else this.#train.add(entry, order);
  }

  get count(): number {
    return this.#train.count + this.#held.count;
  }

  /** @throws TrainingFault `dataset_invalid` when all of it is held out */
  sides(): { train: Side; held: Side } {
    const [train, held] = [this.#train, this.#held];
    if (train.count === 0) throw allHeldOut(held.count);
    const { places } = held;
    const last = [...new Set(places)].toSorted((a, b) => a - b)[HELD_MOST - 1] ?? Infinity;
    const order = held.inOrder().filter((number) => (places[number] ?? 0) <= last);
    return { train: { entries: train, order: train.inOrder() }, held: { entries: held, order: order.subarray(0, HELD_MOST) } };
  }
}

function allHeldOut(count: number): TrainingFault {
  const message = `All ${count} examples have prompts that this data set holds out. Add other prompts, or train with nothing held out.`;
  return new TrainingFault('dataset_invalid', message, { count });
}
