import { isServiceError, type LogLevel } from '@slipway/contracts';
import { destination, type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { MASK, maskedFields, maskedValue } from './field-masks.js';
import { LogThreshold } from './log-threshold.js';

export type { Logger } from 'pino';

/** Header and field names that hold secrets; pino replaces their values. What fields of other names hold is masked here. */
const SECRETS = ['headers.authorization', 'headers["x-api-key"]', 'credential', 'key', 'password'];

/** How long a line may wait for others, in milliseconds. */
const GATHER_MS = 200;
/** What a pipe takes as a whole, so that lines of several processes on one pipe never mix, in bytes. */
const PIPE_BYTES = 4_096;
/** What waits for a reader that takes nothing, or for space on a disk, in bytes. Further lines are dropped. */
const WAITING_BYTES = 8 * 1_024 * 1_024;

/** Where lines go; it may be asked to write at once what it has gathered. */
type Output = DestinationStream & { flushSync(): void };

let shared: Output | undefined;
/** The process's first logger, which says how many lines were dropped. */
let first: Logger | undefined;

/**
 * Standard output, one for all loggers of the process. A write for every line would cost more than anything else that
 * a short request does, so lines leave together: when some have gathered, after 200 ms, and at the end of the process. Lines for
 * which there is no room are dropped, and `log.lines_dropped` says how many, once half of the room is free again.
 */
function stdout(): Output {
  shared ??= gathering(
    destination({ dest: 1, sync: false, minLength: PIPE_BYTES - 1_024, maxWrite: PIPE_BYTES, maxLength: WAITING_BYTES }),
  );
  return shared;
}

/**
 * The stream's own `periodicFlush` would wake a process that logs nothing five times a second, and its `flush` with a callback
 * syncs the file behind it, which fails on a pipe. What a write has left goes out with a later one, because the stream takes no flush
 * while it writes.
 */
function gathering(out: ReturnType<typeof destination>): Output {
  let timer: NodeJS.Timeout | undefined;
  /** Bytes that no write has taken. */
  let waiting = 0;
  let dropped = 0;
  const flushSoon = (): void => {
    timer ??= setTimeout(flush, GATHER_MS).unref();
  };
  const flush = (): void => {
    timer = undefined;
    if (waiting > 0) out.flush();
  };
  out.on('write', (bytes) => {
    waiting -= bytes;
    if (dropped > 0 && waiting < WAITING_BYTES / 2) {
      const lines = dropped;
      dropped = 0;
      first?.warn({ lines }, 'log.lines_dropped');
    }
  });
  out.on('drop', (line: string) => {
    waiting -= Buffer.byteLength(line);
    dropped += 1;
  });
  out.on('drain', () => {
    if (waiting > 0) flushSoon();
  });
  // Lines that cannot be written, such as to a full disk, go out with later ones. They do not end the process.
  out.on('error', () => undefined);
  return {
    write(line) {
      waiting += Buffer.byteLength(line);
      out.write(line);
      flushSoon();
    },
    flushSync: () => out.flushSync(),
  };
}

/**
 * Writes one JSON object per line to stdout. Fields named as secrets are masked.
 * @param level from which lines go to stdout; a threshold may change while the logger is in use
 * @param tee gets the same lines, from `debug` on, whatever the level of stdout is.
 */
export function createLogger(service: string, level: LogLevel | LogThreshold, tee?: (line: string) => void): Logger {
  const threshold = typeof level === 'string' ? new LogThreshold(level) : level;
  if (tee) return masking(pino(optionsOf(service, 'debug'), teed(tee, threshold)));
  const steer = (one: Logger): void => threshold.steer(one);
  const logger = masking(pino({ ...optionsOf(service, threshold.level), onChild: steer }, stdout()));
  steer(logger);
  first ??= logger;
  return logger;
}

/** By this name pino is asked to say the level of each line. */
const WITH_LEVEL = Symbol.for('pino.metadata');

/** Standard output from the threshold on, and another reader of all lines. */
function teed(tee: (line: string) => void, threshold: LogThreshold): Output {
  const out = stdout();
  const both = {
    [WITH_LEVEL]: true,
    /** Of the line that is written, as a number; pino sets it. */
    lastLevel: 0,
    write(line: string): void {
      if (threshold.admits(both.lastLevel)) out.write(line);
      tee(line);
    },
    flushSync: () => out.flushSync(),
  };
  return both;
}

/** Children are asked for their fields once; no formatter of pino sees them. */
function masking(logger: Logger): Logger {
  const plain = Object.getPrototypeOf(logger) as Logger;
  logger.child = function maskingChild(this: Logger, fields: object, options?: object) {
    return plain.child.call(this, maskedFields({ ...fields }), options);
  } as Logger['child'];
  return logger;
}

let shownAt = Number.NaN;
let shown = '';

/** As pino's own, which writes a moment anew for each of the lines in it. */
function timeOfLine(): string {
  const now = Date.now();
  if (now !== shownAt) {
    shownAt = now;
    shown = `,"time":"${new Date(now).toISOString()}"`;
  }
  return shown;
}

function optionsOf(service: string, level: LogLevel): LoggerOptions {
  return {
    level,
    base: { service, pid: process.pid },
    timestamp: timeOfLine,
    messageKey: 'event',
    formatters: { level: (label) => ({ level: label }), log: maskedFields },
    redact: { paths: SECRETS, censor: MASK },
    serializers: { err: (error: unknown) => maskedValue(describeError(error)) },
  };
}

/** Stack traces are logged of faults only, since an expected failure's origin does not help an operator. */
function describeError(error: unknown): unknown {
  if (!isServiceError(error) || error.code === 'internal') return pino.stdSerializers.err(error as Error);
  return { type: error.name, code: error.code, message: pino.stdSerializers.err(error).message };
}
