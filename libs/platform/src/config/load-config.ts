import { z } from 'zod';

/** Wrong configuration. The message names every bad variable and no value, since values may be secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Checks the environment once, at start.
 * @param environment usually `process.env`; empty strings count as absent.
 * @throws ConfigError naming all variables that are missing or wrong.
 */
export function loadConfig<S extends z.ZodObject>(schema: S, environment: NodeJS.ProcessEnv): z.infer<S> {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = schema.safeParse(present);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message.replace(/, received .*/, '')}`);
  throw new ConfigError(`The configuration is wrong:\n${lines.join('\n')}`);
}
