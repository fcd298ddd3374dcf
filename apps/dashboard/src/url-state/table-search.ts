import { type Codec, idOf, integerOf, listOf, textOf, wordOf } from './codec.js';
import { fieldsOf, type RawSearch, readField, type SearchCodec, writeField } from './search-codec.js';

/** Rows on one page. */
export const PAGE_SIZES = ['25', '50', '100', 'all'] as const;
export type PageSize = (typeof PAGE_SIZES)[number];

/** What a table shows, all of it. */
export interface TableState {
  /** What somebody searches for. */
  readonly q: string;
  /** The column by which rows are sorted; null: as they come. */
  readonly sort: string | null;
  readonly dir: 'asc' | 'desc';
  /** Counts from 1. */
  readonly page: number;
  readonly size: PageSize;
  /** Ids of the columns shown; empty: those that a table shows by default. */
  readonly cols: readonly string[];
  readonly density: 'normal' | 'compact';
  /** The values chosen of each facet. */
  readonly facets: Readonly<Record<string, readonly string[]>>;
}

export interface TableSearchOptions {
  /** Ids of the facets; each is a parameter of its own: `status=failed,ready`. */
  readonly facets?: readonly string[];
  readonly sort?: string | null;
  readonly dir?: 'asc' | 'desc';
  readonly size?: PageSize;
  /** Stands before each parameter's name, for the second table of a screen: `invited-` makes `invited-q`. */
  readonly prefix?: string;
}

const FACET: Codec<readonly string[]> = listOf(textOf());

/** The state of a table in the address of its screen. */
export function tableSearch({
  facets = [],
  sort = null,
  dir = 'asc',
  size = '50',
  prefix = '',
}: TableSearchOptions = {}): SearchCodec<TableState> {
  const own = fieldsOf<Omit<TableState, 'facets'>>({
    q: textOf(),
    sort: idOf(sort),
    dir: wordOf(['asc', 'desc'], dir),
    page: integerOf(1, 1, 100_000),
    size: wordOf(PAGE_SIZES, size),
    cols: listOf(idOf('')),
    density: wordOf(['normal', 'compact'], 'normal'),
  });
  const inside = (search: RawSearch): RawSearch =>
    Object.fromEntries(
      Object.entries(search).flatMap(([name, value]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [])),
    );
  return {
    read: (search) => {
      const mine = inside(search);
      return { ...own.read(mine), facets: Object.fromEntries(facets.map((id) => [id, readField(FACET, mine, id)])) };
    },
    write: ({ facets: chosen, ...state }) => {
      const values = facets.map((id): [string, string | undefined] => [id, writeField(FACET, chosen[id] ?? [])]);
      const written = { ...own.write(state), ...Object.fromEntries(values) };
      return Object.fromEntries(Object.entries(written).map(([name, value]) => [`${prefix}${name}`, value]));
    },
  };
}
