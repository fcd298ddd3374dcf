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
