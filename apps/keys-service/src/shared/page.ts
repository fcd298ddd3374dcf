import { fitting } from '@slipway/platform';

/** Rows per reply; fewer where that many do not fit into one message. */
const PAGE_ROWS = 500;

/** One page of a list; `next` is the number of its last row when more rows follow, else null. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: number | null;
}

/** Reads one page. @param read gets one row more than a page holds, to see whether more rows follow */
export async function pageOf<T extends { readonly id: number }>(read: (limit: number) => Promise<T[]>): Promise<Page<T>> {
  const rows = await read(PAGE_ROWS + 1);
  const items = fitting(rows.slice(0, PAGE_ROWS));
  return { items, next: rows.length > items.length ? (items.at(-1)?.id ?? null) : null };
}
