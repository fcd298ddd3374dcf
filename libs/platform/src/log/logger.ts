import { isServiceError } from '@slipway/contracts';
import { destination, type Logger, type LoggerOptions, multistream, pino } from 'pino';

export type { Logger } from 'pino';

/** Levels in which operators think: error = a person must act, warn = degraded, info = life cycle and wide lines. */
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Header and field names that hold secrets; pino replaces their values wherever they are logged by these paths. */
const SECRETS = ['headers.authorization', 'headers["x-api-key"]', 'credential', '*.credential', 'key', 'password', '*.password'];

/**
 * Writes one JSON object per line to stdout. Fields named as secrets are masked.
 * @param tee gets the same lines, from `debug` on, whatever the level of stdout is.
 */
export function createLogger(service: string, level: LogLevel, tee?: (line: string) => void): Logger {
  const options = optionsOf(service, tee ? 'debug' : level);
  if (!tee) return pino(options);
  return pino(
    options,
    multistream([
      { stream: destination(1), level: level === 'silent' ? Number.POSITIVE_INFINITY : level },
      { stream: { write: tee }, level: 'debug' },
    ]),
  );
}

function optionsOf(service: string, level: LogLevel): LoggerOptions {
  return {
    level,
    base: { service, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    messageKey: 'event',
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: SECRETS, censor: '***' },
    serializers: { err: describeError },
  };
}

/** Where an expected failure was thrown tells an operator nothing; of a fault it is what a developer asks first. */
function describeError(error: unknown): unknown {
  if (!isServiceError(error) || error.code === 'internal') return pino.stdSerializers.err(error as Error);
  return { type: error.name, code: error.code, message: pino.stdSerializers.err(error).message };
}
