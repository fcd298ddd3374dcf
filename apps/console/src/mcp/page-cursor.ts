import { ServiceError } from '@slipway/contracts';
import { z } from 'zod';

/** Items of one page of a tool. */
const PAGE_MAX = 100;
const PAGE_DEFAULT = 50;

/** Arguments of every tool that lists. */
export const pageInput = {
  cursor: z.string().max(200).optional().describe('next_cursor of the page before; leave it out for the first page.'),
  limit: z.int().min(1).max(PAGE_MAX).optional().describe(`Items of a page, ${PAGE_DEFAULT} unless given.`),
};

/** What every tool that lists answers besides. */
export const pageOutput = {
  next_cursor: z.string().optional().describe('Pass it as cursor for the next page; absent on the last one.'),
};

interface PageInput {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

const encode = (place: string): string => Buffer.from(place, 'utf8').toString('base64url');

/**
 * Reads the place that a cursor names; null for the first page.
 * @throws ServiceError `invalid_request` for what is no cursor of ours
 */
export function readCursor(cursor: string | undefined, form: RegExp): string | null {
  if (cursor === undefined) return null;
  const place = Buffer.from(cursor, 'base64url').toString('utf8');
  if (encode(place) === cursor && form.test(place)) return place;
  throw new ServiceError('invalid_request', 'This cursor is not valid: pass next_cursor of the page before, or none.', { param: 'cursor' });
}

/** Writes the place at which a page goes on. */
export const writeCursor = encode;

/** Takes one page of a list that is in memory. The cursor holds the place of its last item, which may be gone by then. */
export function pageOf<T>(
  items: readonly T[],
  { cursor, limit = PAGE_DEFAULT }: PageInput,
  placeOf: (item: T) => number,
): { page: readonly T[]; next: { next_cursor?: string } } {
  const after = Number(readCursor(cursor, /^\d{1,10}$/) ?? -1);
  const rest = items.filter((item) => placeOf(item) > after);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return { page, next: last !== undefined && rest.length > page.length ? { next_cursor: encode(String(placeOf(last))) } : {} };
}
