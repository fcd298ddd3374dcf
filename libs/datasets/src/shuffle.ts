/** A permutation of 0 to `count` − 1, the same for the same seed on every machine. 4 bytes a number. */
export function shuffledOrder(count: number, seed: number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  const next = seeded(seed);
  for (let i = count - 1; i > 0; i -= 1) {
    const other = Math.floor(next() * (i + 1));
    const kept = order[i] as number;
    order[i] = order[other] as number;
    order[other] = kept;
  }
  return order;
}

/** Numbers in [0, 1) by mulberry32. */
function seeded(seed: number): () => number {
  let state = (Math.trunc(seed) ^ Math.floor(seed / 0x1_0000_0000)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
