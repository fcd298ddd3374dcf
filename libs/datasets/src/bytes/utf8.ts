/** A byte that is no part of UTF-8. */
export interface BadByte {
  readonly byte: number;
  /** Its position in the line in bytes, from 1. */
  readonly position: number;
}

/** Lengths of sequences by their first byte, with the bounds of the second one: Unicode, table 3-7. */
function sequenceOf(first: number): readonly [length: number, low: number, high: number] {
  if (first < 0x80) return [1, 0, 0];
  if (first >= 0xc2 && first <= 0xdf) return [2, 0x80, 0xbf];
  if (first === 0xe0) return [3, 0xa0, 0xbf];
  if (first === 0xed) return [3, 0x80, 0x9f];
  if (first >= 0xe1 && first <= 0xef) return [3, 0x80, 0xbf];
  if (first === 0xf0) return [4, 0x90, 0xbf];
  if (first >= 0xf1 && first <= 0xf3) return [4, 0x80, 0xbf];
  if (first === 0xf4) return [4, 0x80, 0x8f];
  return [0, 0, 0];
}

/** The first byte that is no part of UTF-8; null = all of it is. For lines of which it is known that they are not: it is slow. */
export function badByteOf(bytes: Buffer, start: number, end: number): BadByte | null {
  for (let i = start; i < end;) {
    const [length, low, high] = sequenceOf(bytes[i] as number);
    if (length === 0) return { byte: bytes[i] as number, position: i - start + 1 };
    for (let k = 1; k < length; k += 1) {
      const next = i + k < end ? (bytes[i + k] as number) : 0;
      const [from, to] = k === 1 ? [low, high] : [0x80, 0xbf];
      if (next < from || next > to) return { byte: bytes[i] as number, position: i - start + 1 };
    }
    i += length;
  }
  return null;
}
