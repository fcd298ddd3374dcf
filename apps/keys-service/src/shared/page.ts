import { idOf, type Page as AnyPage, pageOf } from '@slipway/platform';

/** Rows per reply; fewer where that many do not fit into one message. */
const PAGE_ROWS = 500;

/** One page of a list; `next` is the number of its last row when more rows follow, else null. */
export type Page<T> = AnyPage<T, number>;

/** Reads one page. @param read gets one row more than a page holds, to see whether more rows follow */
export const readPage = async <T extends { readonly id: number }>(read: (limit: number) => Promise<T[]>): Promise<Page<T>> =>
  pageOf(await read(PAGE_ROWS + 1), PAGE_ROWS, idOf);
