const sorted = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** True for equal JSON values, in any order of members. */
export const jsonEqual = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a, sorted) === JSON.stringify(b, sorted);
