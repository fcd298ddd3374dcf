import type { Codec } from './codec.js';

/** The parameters of an address as a router holds them: anything, as people may type anything. */
export type RawSearch = Readonly<Record<string, unknown>>;
/** Parameters as they are written. Undefined: the parameter is left out. */
export type WrittenSearch = Readonly<Record<string, string | undefined>>;

/** How the state of a screen stands in the parameters of its address. */
export interface SearchCodec<S extends object> {
  /** The state, every part of it valid. */
  readonly read: (search: RawSearch) => S;
  /** All parameters of this codec; those that hold their fallback are undefined. */
  readonly write: (state: S) => WrittenSearch;
}

/** A parameter as text. Objects, lists and what an object inherits are none. */
function textIn(search: RawSearch, name: string): string | undefined {
  const raw = Object.hasOwn(search, name) ? search[name] : undefined;
  if (typeof raw === 'number' || typeof raw === 'boolean') return String(raw);
  return typeof raw === 'string' ? raw : undefined;
}

/** One field, read on its own. */
export function readField<T>(codec: Codec<T>, search: RawSearch, name: string): T {
  const text = textIn(search, name);
  return (text === undefined ? undefined : codec.read(text)) ?? codec.fallback;
}

/** One field as it is written; undefined where it holds its fallback. */
export function writeField<T>(codec: Codec<T>, value: T): string | undefined {
  const text = codec.write(value);
  return text === codec.write(codec.fallback) ? undefined : text;
}

/** A state whose fields are parameters of the same names. */
export function fieldsOf<S extends object>(fields: { readonly [K in keyof S]: Codec<S[K]> }): SearchCodec<S> {
  const entries = Object.entries(fields) as [string, Codec<unknown>][];
  return {
    read: (search) => Object.fromEntries(entries.map(([name, codec]) => [name, readField(codec, search, name)])) as S,
    write: (state) => {
      const values = state as Readonly<Record<string, unknown>>;
      return Object.fromEntries(entries.map(([name, codec]) => [name, writeField(codec, values[name])]));
    },
  };
}

/** A codec whose state has no field of another one's: of two fields with one name, one would be lost. */
type Beside<A, B extends object> = keyof A & keyof B extends never ? SearchCodec<B> : never;

/** One state of two. Two tables of one screen stay two states: their fields have the same names. */
export const bothOf = <A extends object, B extends object>(a: SearchCodec<A>, b: Beside<A, B>): SearchCodec<A & B> => ({
  read: (search) => ({ ...a.read(search), ...b.read(search) }),
  write: (state) => ({ ...a.write(state), ...b.write(state) }),
});

/** Parameters for a link to a screen: the fallbacks of its codec, and what is given. */
export function searchFor<S extends object>(codec: SearchCodec<S>, state: Partial<S> = {}): Record<string, string> {
  const written = Object.entries(codec.write({ ...codec.read({}), ...state }));
  return Object.fromEntries(written.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Of any state; what it reads it can write. */
interface AnyCodec {
  readonly read: (search: RawSearch) => object;
  readonly write: (state: never) => WrittenSearch;
}

/** `validateSearch` of a route with the states given: its parameters as they are written, without those that are not valid or say nothing. */
export const searchOf =
  (...codecs: readonly AnyCodec[]) =>
  (search: RawSearch): Record<string, string> =>
    Object.assign({}, ...codecs.map((codec) => searchFor(codec as SearchCodec<object>, codec.read(search)))) as Record<string, string>;

/** Longest value of a parameter that is looked at, in characters. */
const VALUE_MAX = 10_000;

/** Reads the parameters of an address, as `parseSearch` of the router: text alone, the first of each name. */
export function parseSearch(query: string): Record<string, string> {
  const search: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query))
    if (name !== '__proto__' && value.length <= VALUE_MAX && !Object.hasOwn(search, name)) search[name] = value;
  return search;
}

/** Writes the parameters of an address, as `stringifySearch` of the router. Commas, colons and slashes stay readable. */
export function stringifySearch(search: RawSearch): string {
  const params = new URLSearchParams();
  for (const name of Object.keys(search)) {
    const text = textIn(search, name);
    if (text !== undefined) params.append(name, text);
  }
  const query = params.toString().replace(/%2C|%3A|%2F|%40/g, decodeURIComponent);
  return query === '' ? '' : `?${query}`;
}
