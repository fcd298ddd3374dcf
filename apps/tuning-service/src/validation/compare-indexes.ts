import { RECORD_BYTES } from './example-index.js';

/** Most numbers of each kind that are listed. */
const LISTED = 100;

/** What changed between two versions, by the content of examples. */
export interface Comparison {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly same: number;
  readonly added_at: number[];
  readonly removed_at: number[];
  readonly changed_at: number[];
}

/** Hashes of one version's examples, in their order. */
interface Hashes {
  readonly examples: BigUint64Array;
  readonly prompts: BigUint64Array;
}

function hashesOf(index: Buffer): Hashes {
  const count = Math.floor(index.length / RECORD_BYTES);
  const [examples, prompts] = [new BigUint64Array(count), new BigUint64Array(count)];
  for (let i = 0; i < count; i += 1) {
    examples[i] = index.readBigUInt64LE(i * RECORD_BYTES + 16);
    prompts[i] = index.readBigUInt64LE(i * RECORD_BYTES + 24);
  }
  return { examples, prompts };
}

/** Whether a sorted list holds a hash. */
function holds(sorted: BigUint64Array, hash: bigint): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0n) < hash) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === hash;
}

/** Places of the examples that the other version lacks. */
const missingIn = (other: BigUint64Array, own: BigUint64Array): number[] => {
  const places: number[] = [];
  for (let i = 0; i < own.length; i += 1) if (!holds(other, own[i] ?? 0n)) places.push(i);
  return places;
};

const promptsAt = ({ prompts }: Hashes, places: readonly number[]): BigUint64Array =>
  BigUint64Array.from(places, (i) => prompts[i] ?? 0n).sort();

/**
 * Compares two versions by their indexes, in memory that is a fraction of theirs. An example with the prompt of one that went counts as
 * changed. Repeated examples count as the same.
 */
export function compareIndexes(from: Buffer, to: Buffer): Comparison {
  const [former, latter] = [hashesOf(from), hashesOf(to)];
  const gone = missingIn(latter.examples.slice().sort(), former.examples);
  const come = missingIn(former.examples.slice().sort(), latter.examples);
  const [gonePrompts, comePrompts] = [promptsAt(former, gone), promptsAt(latter, come)];
  const isChanged = (i: number): boolean => holds(gonePrompts, latter.prompts[i] ?? 0n);
  const [changed, added] = [come.filter(isChanged), come.filter((i) => !isChanged(i))];
  const removed = gone.filter((i) => !holds(comePrompts, former.prompts[i] ?? 0n));
  const numbers = (places: readonly number[]): number[] => places.slice(0, LISTED).map((i) => i + 1);
  return {
    ...{ added: added.length, removed: removed.length, changed: changed.length, same: latter.examples.length - come.length },
    ...{ added_at: numbers(added), removed_at: numbers(removed), changed_at: numbers(changed) },
  };
}
