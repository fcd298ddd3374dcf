type Known<T> = { [K in keyof T]?: NonNullable<T[K]> };

/** Leaves out what is not known: answers of tools hold no null. */
export const knownFields = <T extends object>(fields: T): Known<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)) as Known<T>;
