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

/** Welch's t: by how many standard errors the means of two samples differ. */
function welchT(a: readonly number[], b: readonly number[]): number {
  const [left, right] = [momentsOf(a), momentsOf(b)];
  return (left.mean - right.mean) / Math.sqrt(left.variance / left.n + right.variance / right.n);
}

/** Share of the slowest measurements, of both samples together, that say more of the machine than of the code. */
const CROPPED = 0.1;

/** Welch's t of what remains without the slowest measurements: a bound for both samples, so that neither gains by it. */
export function croppedT(a: readonly number[], b: readonly number[]): number {
  const bound = [...a, ...b].toSorted((x, y) => x - y)[Math.floor((1 - CROPPED) * (a.length + b.length))] ?? Infinity;
  return welchT(
    a.filter((value) => value <= bound),
    b.filter((value) => value <= bound),
  );
}

/**
 * Times an act on values of several kinds, which take turns in an order that is drawn anew for each round.
 * @param draw makes the value that a call is given; its own time does not count
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
