import { z } from 'zod';

/**
 * Forms that a reader takes more generously than a writer may use them. While a fleet is updated, an older process reads words
 * that it does not know: one such word must cost that word, not the message. What is about to be sent is checked to the
 * letter, by `checkToSend`.
 */
let sending = false;

/**
 * Checks a value that is about to be sent. Words that only newer versions know and unreadable list items, which a reader
 * leaves out, are faults here.
 * @throws ZodError
 */
export function checkToSend<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const before = sending;
  sending = true;
  try {
    return schema.parse(value);
  } finally {
    sending = before;
  }
}

/**
 * An array of which each item is read by itself: one that breaks its schema is left out, and spoils none of the others.
 * @param max items at most; a longer array is refused whole.
 * @param mayLeaveOut false for a broken item that makes the array unreadable all the same.
 */
export const eachReadable = <T extends z.ZodType>(
  item: T,
  max = Number.MAX_SAFE_INTEGER,
  mayLeaveOut: (item: unknown) => boolean = () => true,
): z.ZodType<z.output<T>[], z.input<T>[]> =>
  z
    .array(z.unknown())
    .max(max)
    .transform((items, context) =>
      items.flatMap((one, at) => {
        const read = item.safeParse(one);
        if (read.success) return [read.data];
        if (!sending && mayLeaveOut(one)) return [];
        for (const { path, message } of read.error.issues) context.addIssue({ code: 'custom', message, path: [at, ...path] });
        return [];
      }),
    ) as unknown as z.ZodType<z.output<T>[], z.input<T>[]>;

/** A word as enums of contracts use them. */
const WORD = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const isWord = (value: unknown): value is string => typeof value === 'string' && WORD.test(value);

/** One of these words; a reader carries any other word as it is. */
export const openEnum = <const W extends readonly [string, ...string[]]>(words: W): z.ZodType<string, W[number]> =>
  z.string().refine((word) => words.includes(word) || (!sending && WORD.test(word)), {
    error: `Expected one of ${words.join(', ')}.`,
  }) as z.ZodType<string, W[number]>;

/** One of the words of an enum; a reader takes any other word for `fallback`, which must be the harmless one. */
export function enumOr<T extends z.ZodEnum, F extends z.output<T> | null>(known: T, fallback: F): z.ZodType<z.output<T> | F, z.input<T>> {
  const words: ReadonlySet<unknown> = new Set(known.options);
  const read = (value: unknown): unknown => (!words.has(value) && !sending && isWord(value) ? fallback : value);
  return z.preprocess(read, fallback === null ? known.nullable() : known) as unknown as z.ZodType<z.output<T> | F, z.input<T>>;
}

/** Error text of a strict object that says which names there are: an unknown name is a limit or quota that would hold nothing. */
export const unknownNames =
  (what: string, shape: object) =>
  (issue: { readonly code?: string | undefined; readonly keys?: unknown }): string | undefined =>
    issue.code === 'unrecognized_keys'
      ? `There is no ${what} named ${(issue.keys as string[]).map((name) => JSON.stringify(name)).join(', ')}; there are ${Object.keys(shape).join(', ')}.`
      : undefined;
