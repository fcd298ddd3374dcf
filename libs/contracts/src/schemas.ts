import { z } from 'zod';

/**
 * An array of which each item is read by itself: one that breaks its schema is left out, and spoils none of the others.
 * @param max items at most; a longer array is refused whole.
 */
export const eachReadable = <T extends z.ZodType>(item: T, max = Number.MAX_SAFE_INTEGER): z.ZodType<z.output<T>[], z.input<T>[]> =>
  z
    .array(z.unknown())
    .max(max)
    .transform((items) =>
      items.flatMap((one) => {
        const read = item.safeParse(one);
        return read.success ? [read.data] : [];
      }),
    ) as unknown as z.ZodType<z.output<T>[], z.input<T>[]>;

/** Says which names there are: one that nobody knows would otherwise be a limit that holds nothing. */
export const unknownNames =
  (what: string, shape: object) =>
  (issue: { readonly code?: string | undefined; readonly keys?: unknown }): string | undefined =>
    issue.code === 'unrecognized_keys'
      ? `There is no ${what} named ${(issue.keys as string[]).map((name) => JSON.stringify(name)).join(', ')}; there are ${Object.keys(shape).join(', ')}.`
      : undefined;
