import { z } from 'zod';

/** True for an object that is not an array: what JSON calls an object. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Schemas that accept more from a sender than they allow to send. While a fleet is updated, an older process receives words that
 * it does not know: such a word must cost that word, not the message. `checkToSend` sets this while it checks strictly.
 */
let sending = false;

/**
 * Checks a value before it is sent. Unknown words and invalid list items, which a reader leaves out, are errors here.
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
 * An array whose items are read one by one: an invalid item is left out.
 * @param max items at most; a longer array is refused whole.
 * @param mayLeaveOut false for an invalid item that makes the whole array invalid.
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

/** One of these words; a reader keeps an unknown word. */
export const openEnum = <const W extends readonly [string, ...string[]]>(words: W): z.ZodType<string, W[number]> =>
  z.string().refine((word) => words.includes(word) || (!sending && WORD.test(word)), {
    error: `Expected one of ${words.join(', ')}.`,
  }) as z.ZodType<string, W[number]>;

/** One of the words of an enum; a reader replaces an unknown word by `fallback`, which must be harmless. */
export function enumOr<T extends z.ZodEnum, F extends z.output<T> | null>(known: T, fallback: F): z.ZodType<z.output<T> | F, z.input<T>> {
  const words: ReadonlySet<unknown> = new Set(known.options);
  const read = (value: unknown): unknown => (!words.has(value) && !sending && isWord(value) ? fallback : value);
  return z.preprocess(read, fallback === null ? known.nullable() : known) as unknown as z.ZodType<z.output<T> | F, z.input<T>>;
}

/** Error message of a strict object that lists the allowed names. Without it a misspelt limit or quota would have no effect. */
export const unknownNames =
  (what: string, shape: object) =>
  (issue: { readonly code?: string | undefined; readonly keys?: unknown }): string | undefined =>
    issue.code === 'unrecognized_keys'
      ? `There is no ${what} named ${(issue.keys as string[]).map((name) => JSON.stringify(name)).join(', ')}; there are ${Object.keys(shape).join(', ')}.`
      : undefined;
