import { ServiceError } from '@slipway/contracts';
import { z } from 'zod';

/** Number of items of one page. */
const PAGE_MAX = 100;
const PAGE_DEFAULT = 50;

/** Arguments of all tools that return lists. */
export const pageInput = {
  cursor: z.string().max(200).optional().describe('next_cursor of the previous page; leave it out for the first page.'),
  limit: z.int().min(1).max(PAGE_MAX).optional().describe(`Items of a page, ${PAGE_DEFAULT} unless given.`),
};

/** Additional output of all tools that return lists. */
export const pageOutput = {
  next_cursor: z.string().optional().describe('Pass it as cursor for the next page; absent on the last one.'),
};

interface PageInput {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

const encode = (position: string): string => Buffer.from(position, 'utf8').toString('base64url');

/**
 * Decodes a cursor; null for the first page.
 * @param form pattern of a valid position
 * @throws ServiceError `invalid_request` for an invalid cursor
 */
export function readCursor(cursor: string | undefined, form: RegExp): string | null {
  if (cursor === undefined) return null;
  const position = Buffer.from(cursor, 'base64url').toString('utf8');
  if (encode(position) === cursor && form.test(position)) return position;
  throw new ServiceError('invalid_request', 'This cursor is not valid: pass next_cursor of the previous page, or none.', {
    param: 'cursor',
  });
}

/** Encodes the position at which the next page begins. */
export const writeCursor = encode;

/** One page of a list in memory. The cursor holds the position of its last item, which may be deleted before the next page. */
export function pageOf<T>(
  items: readonly T[],
  { cursor, limit = PAGE_DEFAULT }: PageInput,
  positionOf: (item: T) => number,
): { page: readonly T[]; next: { next_cursor?: string } } {
  const after = Number(readCursor(cursor, /^\d{1,10}$/) ?? -1);
  const rest = items.filter((item) => positionOf(item) > after);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return { page, next: last !== undefined && rest.length > page.length ? { next_cursor: encode(String(positionOf(last))) } : {} };
}
