import type { Values } from './chart-model.js';

/** Values piled up: each is its own plus all before it. Where no part has a value the pile has none, else a missing part counts 0. */
export function stack(parts: readonly Values[]): readonly Values[] {
  const length = parts[0]?.length ?? 0;
  const known = Array.from({ length }, (_, step) => parts.some((values) => (values[step] ?? null) !== null));
  const sums = Array.from({ length }, () => 0);
  return parts.map((values) =>
    known.map((isKnown, step) => {
      sums[step] = (sums[step] ?? 0) + (values[step] ?? 0);
      return isKnown ? (sums[step] ?? 0) : null;
    }),
  );
}
