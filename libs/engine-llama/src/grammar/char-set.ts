/** Code points `from` to `to`, both included. */
export type CharRange = readonly [from: number, to: number];

/** A set of code points: ranges in order, with gaps between them. */
export type CharSet = readonly CharRange[];

const LAST = 0x10ffff;

/** All characters of a text: no surrogates, and no NUL, which ends a text in llama.cpp. */
export const TEXT_CHARS: CharSet = [
  [0x01, 0xd7ff],
  [0xe000, LAST],
];

/** Sorts and merges the ranges of a set. */
export function charSet(...ranges: readonly CharRange[]): CharSet {
  const result: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

/** The characters of a text. */
export const charsOf = (text: string): CharSet =>
  charSet(
    ...Array.from(text, (char): CharRange => {
      const code = char.codePointAt(0) ?? 0;
      return [code, code];
    }),
  );

/** Intersection of two sets. */
export function intersect(a: CharSet, b: CharSet): CharSet {
  const result: CharRange[] = [];
  for (const [aFrom, aTo] of a) {
    for (const [bFrom, bTo] of b) {
      const from = Math.max(aFrom, bFrom);
      const to = Math.min(aTo, bTo);
      if (from <= to) result.push([from, to]);
    }
  }
  return charSet(...result);
}

/** All characters of texts that are not in a set. */
export function complement(set: CharSet): CharSet {
  const result: CharRange[] = [];
  let from = 0;
  for (const [start, end] of set) {
    if (start > from) result.push([from, start - 1]);
    from = end + 1;
  }
  if (from <= LAST) result.push([from, LAST]);
  return result;
}
