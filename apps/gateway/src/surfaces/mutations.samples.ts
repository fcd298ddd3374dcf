const STRANGE: readonly unknown[] = [
  ...[undefined, null, true, -1, 0.5, 1e300, '', 'x', 'constructor', '\u0000'],
  ...[[], [null], [[]], {}, { length: 1e9 }, { length: { toString: 1 } }, { toString: 1 }, { type: { toString: 1 } }, { type: ['text'] }],
];

/** Every value that differs from `value` in one place. */
export function* mutationsOf(value: unknown): Generator<unknown> {
  yield* STRANGE;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    for (const mutation of mutationsOf(inner)) {
      const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>;
      copy[key] = mutation;
      yield copy;
    }
  }
}
