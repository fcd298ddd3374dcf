const rotated = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

function mixed(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/**
 * 64-bit hashes of bytes, in two halves so that none is allocated per example. Not cryptographic. Stored with versions and decisive for
 * the split: a change of it would move examples to the other side.
 */
export class Hash64 {
  /** Halves of the last hash, as signed 32-bit numbers. */
  high = 0;
  low = 0;

  /** Hashes `bytes` from `start` to `end`. */
  of(bytes: DataView, start: number, end: number): this {
    let a = 0x2545f491;
    let b = 0x6c078965;
    let i = start;
    for (const last = end - 3; i < last; i += 4) {
      const word = bytes.getInt32(i, true);
      a = Math.imul(rotated(a ^ Math.imul(word, 0x9e3779b1), 13), 5) + 0x6b64;
      b = Math.imul(rotated(b ^ Math.imul(word, 0x7feb352d), 17), 9) + 0x5f4b;
    }
    let rest = end - start;
    for (; i < end; i += 1) rest = (rest << 8) ^ bytes.getUint8(i);
    a = mixed(a ^ rest);
    b = mixed(b ^ Math.imul(rest, 0x846ca68b) ^ a);
    this.low = mixed(a + b);
    this.high = b;
    return this;
  }

  /** The last hash as one number. */
  get value(): bigint {
    return (BigInt(this.high >>> 0) << 32n) | BigInt(this.low >>> 0);
  }
}

/**
 * A place from 0 to 2^53 − 1 that a hash and a seed decide. For each seed the places of different hashes are spread evenly, and differ
 * but for chance.
 */
export function placeOf(seed: number, high: number, low: number): number {
  const a = mixed(low ^ mixed(seed | 0) ^ mixed(Math.floor(seed / 0x1_0000_0000) + 1));
  const b = mixed(high ^ a);
  return (b >>> 0) * 0x20_0000 + (mixed(a ^ b) >>> 11);
}
