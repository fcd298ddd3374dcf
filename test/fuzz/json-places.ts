/** A place in a JSON document: the keys and indexes that lead to it. */
export type Place = readonly (string | number)[];

const isContainer = (value: unknown): value is Record<string | number, unknown> => typeof value === 'object' && value !== null;

const MAX_PLACES = 2_000;

/** The first places of a document: itself, then what it holds, level by level. */
export function placesOf(document: unknown): Place[] {
  const found: { readonly place: Place; readonly value: unknown }[] = [{ place: [], value: document }];
  for (const { place, value } of found) {
    if (!isContainer(value)) continue;
    const keys: (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
    for (const key of keys.slice(0, MAX_PLACES - found.length)) found.push({ place: [...place, key], value: value[key] });
  }
  return found.map(({ place }) => place);
}

export function valueAt(value: unknown, place: Place): unknown {
  return place.reduce<unknown>((inner, key) => (isContainer(inner) ? inner[key] : undefined), value);
}

/** The document with another value at a place. */
export function replaced(value: unknown, place: Place, put: unknown): unknown {
  const [key, ...rest] = place;
  if (key === undefined) return put;
  if (!isContainer(value)) return value;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string | number, unknown>;
  Object.defineProperty(copy, key, { value: replaced(value[key], rest, put), enumerable: true, configurable: true, writable: true });
  return copy;
}

/** The document without what stands at a place. */
export function removed(value: unknown, place: Place): unknown {
  const owner = valueAt(value, place.slice(0, -1));
  const last = place.at(-1);
  if (last === undefined || !isContainer(owner)) return null;
  const left = Array.isArray(owner)
    ? (owner as unknown[]).filter((_, i) => i !== last)
    : Object.fromEntries(Object.entries(owner).filter(([key]) => key !== last));
  return replaced(value, place.slice(0, -1), left);
}
