/** How one value stands in an address. What cannot be read becomes the fallback, without a word: links are typed by hand and cut by mailers. */
export interface Codec<T> {
  /** What holds where the address names nothing valid; it is left out of addresses. */
  readonly fallback: T;
  /** The value; undefined where the text names none. */
  readonly read: (text: string) => T | undefined;
  readonly write: (value: T) => string;
}

const TEXT_MAX = 200;
const ITEMS_MAX = 50;

/** Cut to a length without leaving half a character at the end. */
function cut(text: string, max: number): string {
  const short = text.slice(0, max);
  return /[\uD800-\uDBFF]$/.test(short) ? short.slice(0, -1) : short;
}

/** Text of one line: control characters are left out, and what is longer than `max` characters is cut. */
export const textOf = (fallback = '', max = TEXT_MAX): Codec<string> => ({
  fallback,
  read: (text) => cut(text.replace(/\p{Cc}/gu, ''), max),
  write: (value) => cut(value, max),
});

/** One of the words given. */
export function wordOf<const W extends string, const F>(words: readonly W[], fallback: F): Codec<W | F> {
  return {
    fallback,
    read: (text) => words.find((word) => word === text),
    write: String,
  };
}

/** An identifier such as that of a column: letters, digits, `-`, `_` and `.`, 40 at most. */
export const idOf = <const F>(fallback: F): Codec<string | F> => ({
  fallback,
  read: (text) => (/^[\w.-]{1,40}$/.test(text) ? text : undefined),
  write: String,
});

/** A whole number from `min` to `max`. */
export const integerOf = (fallback: number, min: number, max: number): Codec<number> => ({
  fallback,
  read: (text) => {
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  },
  write: String,
});

/** `true` or `false`. */
export const booleanOf = (fallback = false): Codec<boolean> => ({
  fallback,
  read: (text) => (/^(?:true|false)$/.test(text) ? text === 'true' : undefined),
  write: String,
});

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/;
const EARLIEST = Date.UTC(2000, 0);
const LATEST = Date.UTC(2100, 0);

/** A moment in UTC from 2000 to 2099 as milliseconds since the epoch; `2026-11-21T19:03Z` in the address, to the second. */
export const momentOf = (): Codec<number | null> => ({
  fallback: null,
  read: (text) => {
    const at = MOMENT.test(text) ? Date.parse(text) : Number.NaN;
    return at >= EARLIEST && at < LATEST ? at : undefined;
  },
  write: (at) => (at === null ? '' : `${new Date(at).toISOString().slice(0, 19).replace(/:00$/, '')}Z`),
});

const ESCAPED = /%2C|%25/g;

/** Several values, each once, apart by commas; those that cannot be read are left out, and so are those beyond the fiftieth. */
export const listOf = <T>(item: Pick<Codec<T>, 'read' | 'write'>): Codec<readonly T[]> => ({
  fallback: [],
  read: (text) => {
    const values = text.split(',', ITEMS_MAX).flatMap((one) => {
      const plain = one.replace(ESCAPED, (code) => (code === '%25' ? '%' : ','));
      const value = plain === '' ? undefined : item.read(plain);
      return value === undefined ? [] : [value];
    });
    return [...new Set(values)];
  },
  write: (values) =>
    values
      .slice(0, ITEMS_MAX)
      .map((value) => item.write(value).replace(/[%,]/g, (one) => (one === '%' ? '%25' : '%2C')))
      .join(','),
});
