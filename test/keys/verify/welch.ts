import { randomInt } from 'node:crypto';

/** Mean and variance of a sample. */
interface Moments {
  readonly n: number;
  readonly mean: number;
  readonly variance: number;
}

function momentsOf(sample: readonly number[]): Moments {
  const mean = sample.reduce((sum, value) => sum + value, 0) / sample.length;
  const variance = sample.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (sample.length - 1);
  return { n: sample.length, mean, variance };
}

/** Welch's t: the difference of the means of two samples in standard errors. */
function welchT(a: readonly number[], b: readonly number[]): number {
  const [left, right] = [momentsOf(a), momentsOf(b)];
  return (left.mean - right.mean) / Math.sqrt(left.variance / left.n + right.variance / right.n);
}

/** Share of the slowest measurements of both samples together, which are left out: they show the machine, not the code. */
const CROPPED = 0.1;

/** Welch's t without the slowest measurements, with one bound for both samples. */
export function croppedT(a: readonly number[], b: readonly number[]): number {
  const bound = [...a, ...b].toSorted((x, y) => x - y)[Math.floor((1 - CROPPED) * (a.length + b.length))] ?? Infinity;
  return welchT(
    a.filter((value) => value <= bound),
    b.filter((value) => value <= bound),
  );
}

/**
 * Measures a function on values of several kinds, in a new random order each round.
 * @param draw makes the value for a call; its own time is not measured
 * @returns nanoseconds of each call, by kind
 */
export function timesOf<Kind extends string, Value>(
  { kinds, draw, act }: { readonly kinds: readonly Kind[]; readonly draw: (kind: Kind) => Value; readonly act: (value: Value) => unknown },
  rounds: number,
): Record<Kind, number[]> {
  const order = [...kinds];
  const times = Object.fromEntries(kinds.map((kind): [Kind, number[]] => [kind, []])) as Record<Kind, number[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (let i = order.length - 1; i > 0; i -= 1) {
      const j = randomInt(i + 1);
      [order[i], order[j]] = [order[j]!, order[i]!];
    }
    for (const kind of order) {
      const value = draw(kind);
      const begun = process.hrtime.bigint();
      act(value);
      times[kind].push(Number(process.hrtime.bigint() - begun));
    }
  }
  return times;
}
