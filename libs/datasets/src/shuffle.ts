/** A permutation of 0 to `count` − 1, the same for the same seed on every machine. */
export function shuffledOrder(count: number, seed: number): Uint32Array {
  throw new Error(`not built: ${count} ${seed}`);
}
