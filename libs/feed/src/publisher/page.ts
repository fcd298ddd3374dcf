import { PAGE_BYTES } from '../limits.js';

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** The longest beginning of `entries` whose JSON stays within a page, and at least one entry, so that every page moves on. */
export function pageOf<T>(entries: readonly T[], maxBytes: number = PAGE_BYTES): readonly T[] {
  // Nearly always all of them fit, and one text is written faster than many.
  if (bytesOf(entries) <= maxBytes) return entries;
  let bytes = 0;
  for (const [index, entry] of entries.entries()) {
    bytes += bytesOf(entry) + 1;
    if (bytes > maxBytes && index > 0) return entries.slice(0, index);
  }
  return entries;
}
