import type { z } from 'zod';
import { ConfigError } from './config-error.js';

/**
 * Validates a service's settings at its start.
 * @param environment variables by name, usually `process.env`; empty strings count as absent.
 * @throws ConfigError naming all missing and invalid variables.
 */
export function loadConfig<S extends z.ZodObject>(schema: S, environment: Readonly<Record<string, unknown>>): z.infer<S> {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = schema.safeParse(present);
  if (parsed.success) return parsed.data;
  throw new ConfigError(parsed.error.issues.map((issue) => problemOf(issue, present)));
}

function problemOf({ code, path, message }: z.core.$ZodIssue, present: Readonly<Record<string, unknown>>): string {
  const name = path.join('.');
  const missing = code === 'invalid_type' && path.length === 1 && !Object.hasOwn(present, name);
  return `${name}: ${missing ? 'is not set' : message.replace(/, received .*/, '')}`;
}
