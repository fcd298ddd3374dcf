import { fitting } from '@slipway/platform';

/** Rows per reply; fewer where a message cannot hold as many. */
const PAGE_ROWS = 500;

/** A part of a list; `next` is the last row's number when more follow. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: number | null;
}

/** Reads one page, and one row more to know whether others follow. */
export async function pageOf<T extends { readonly id: number }>(read: (limit: number) => Promise<T[]>): Promise<Page<T>> {
  const rows = await read(PAGE_ROWS + 1);
  const items = fitting(rows.slice(0, PAGE_ROWS));
  return { items, next: rows.length > items.length ? (items.at(-1)?.id ?? null) : null };
}
