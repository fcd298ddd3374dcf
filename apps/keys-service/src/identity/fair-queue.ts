/** Somebody who waits. */
export interface Waiting {
  readonly go: () => void;
  /** There is no room for them any more. */
  readonly refuse: () => void;
}

/**
 * Those who wait, in lanes of which each moves on by one in turn. Of a full queue the last of the longest lane is refused in favour
 * of a lane that is shorter, so that nobody fills it alone.
 */
export class FairQueue {
  /** The one whose turn is next first. */
  readonly #lanes = new Map<string, Waiting[]>();
  #size = 0;

  /** @param max those who wait at most */
  constructor(private readonly max: number) {}

  add(lane: string, waiting: Waiting): void {
    const before = this.#lanes.get(lane)?.length ?? 0;
    if (this.#size >= this.max && !this.#refuseOfLonger(before)) return waiting.refuse();
    const own = this.#lanes.get(lane) ?? [];
    own.push(waiting);
    this.#lanes.set(lane, own);
    this.#size += 1;
    return undefined;
  }

  /** Takes out whose turn it is. */
  next(): Waiting | undefined {
    const [first] = this.#lanes;
    if (!first) return undefined;
    const [lane, waiting] = first;
    const next = waiting.shift();
    this.#lanes.delete(lane);
    if (waiting.length > 0) this.#lanes.set(lane, waiting);
    this.#size -= 1;
    return next;
  }

  /** False where no lane would still be as long as the other with one more. */
  #refuseOfLonger(length: number): boolean {
    let longest: Waiting[] = [];
    for (const waiting of this.#lanes.values()) if (waiting.length > longest.length) longest = waiting;
    if (longest.length < length + 2) return false;
    longest.pop()?.refuse();
    this.#size -= 1;
    return true;
  }
}
