import { type LoraAdapter, type LoraMatrix, writeLoraGguf } from '../../apps/training-worker/src/results/lora-gguf.js';

const [LAYERS, WIDTH, INNER, RANK] = [4, 192, 512, 8];
/** Inputs and outputs of the demo model's matrices. */
const SHAPES: Readonly<Record<string, readonly [number, number]>> = {
  attn_q: [WIDTH, WIDTH],
  attn_output: [WIDTH, WIDTH],
  ffn_up: [WIDTH, INNER],
  ffn_down: [INNER, WIDTH],
};

/** Repeatable numbers between -1 and 1. */
function numbers(count: number, seed: number, scale: number): Float32Array {
  let state = seed;
  return Float32Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return (state / 2 ** 30 - 1) * scale;
  });
}

const matrix = (rows: number, columns: number, seed: number, scale: number): LoraMatrix => ({
  rows,
  columns,
  values: numbers(rows * columns, seed, scale),
});

/** An adapter for the demo model, of random numbers. `scale` 0 = it changes nothing. */
function anAdapter(scale: number): LoraAdapter {
  const pairs = Array.from({ length: LAYERS }, (_, layer) =>
    Object.entries(SHAPES).map(([name, [from, to]], i) => ({
      tensor: `blk.${layer}.${name}`,
      a: matrix(RANK, from, layer * 100 + i * 2 + 1, 0.05),
      b: matrix(to, RANK, layer * 100 + i * 2 + 2, scale),
    })),
  );
  return { architecture: 'qwen3', alpha: 16, rank: RANK, pairs: pairs.flat() };
}

export const writeAdapter = (path: string, scale: number): Promise<void> => writeLoraGguf(path, anAdapter(scale));
