import type { z } from 'zod';
import { UsageError } from './cli-errors.js';

/** Word that takes a setting back to its default. */
export const DEFAULT = 'default';

/** The options of one call. */
export class OptionValues {
  constructor(private readonly values: Readonly<Record<string, string | boolean | undefined>>) {}

  flag(name: string): boolean {
    return this.values[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.values[name];
    return typeof value === 'string' ? value : undefined;
  }

  has(name: string): boolean {
    return this.values[name] !== undefined;
  }

  /** @throws UsageError when it is no whole number that `schema` accepts */
  whole(name: string, schema: z.ZodType): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : wholeNumber(`--${name}`, text, schema);
  }

  /** The same, where the word `default` gives null. */
  wholeOrDefault(name: string, schema: z.ZodType): number | null | undefined {
    return this.text(name) === DEFAULT ? null : this.whole(name, schema);
  }
}

/** @throws UsageError naming `what` when the text is no whole number that `schema` accepts */
export function wholeNumber(what: string, text: string, schema: z.ZodType): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${what} takes a whole number, not "${text}".`);
  const number = Number(text);
  const parsed = schema.safeParse(number);
  if (!parsed.success) throw new UsageError(`${what} ${text} is out of range: ${rangeOf(parsed.error)}.`);
  return number;
}

const rangeOf = (error: z.ZodError): string => {
  const [issue] = error.issues;
  if (issue?.code === 'too_small') return `at least ${issue.minimum}`;
  if (issue?.code === 'too_big') return `at most ${issue.maximum}`;
  return issue?.message ?? 'not valid';
};

/** @throws UsageError with the message of the schema */
export function checked<S extends z.ZodType>(schema: S, text: string, message?: string): z.output<S> {
  const parsed = schema.safeParse(text);
  if (!parsed.success) throw new UsageError(message ?? parsed.error.issues[0]?.message ?? `"${text}" is not valid.`);
  return parsed.data;
}
