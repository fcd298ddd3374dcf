type Fields = Readonly<Record<string, unknown>>;

/** What stands for a secret in a log. */
export const MASK = '***';
/** Where a line has its error, which is masked once it is described. */
const ERROR = 'err';
/** Names that hold secrets within a field of any name. */
const SECRETS = ['credential', 'password'] as const;

/**
 * The value of one field, its secrets masked; the value itself where it holds none. pino's own wildcards would copy every
 * field of every line to find them.
 */
export function maskedValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  let masked: Record<string, unknown> | undefined;
  for (const name of SECRETS) {
    if (!Object.hasOwn(value, name)) continue;
    masked ??= { ...value };
    masked[name] = MASK;
  }
  return masked ?? value;
}

/** Fields of a line, or of all lines of a child, their secrets masked; the fields themselves where they hold none. */
export function maskedFields<F extends Fields>(fields: F): F | Record<string, unknown> {
  let masked: Record<string, unknown> | undefined;
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (typeof value !== 'object' || name === ERROR) continue;
    const safe = maskedValue(value);
    if (safe !== value) (masked ??= { ...fields })[name] = safe;
  }
  return masked ?? fields;
}
