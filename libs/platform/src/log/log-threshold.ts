import type { LogLevel } from '@slipway/contracts';
import { type Logger, pino } from 'pino';

/** Children that are kept before those that are gone are looked for. */
const LOOK_FROM = 64;

const severityOf = (level: LogLevel): number => (level === 'silent' ? Number.POSITIVE_INFINITY : (pino.levels.values[level] ?? 0));

/** The level from which the loggers of one service write to stdout. It may change while they are in use. */
export class LogThreshold {
  #level: LogLevel;
  #severity: number;
  readonly #followers = new Set<(level: LogLevel) => void>();
  #loggers: WeakRef<Logger>[] = [];
  #lookFrom = LOOK_FROM;

  /** @param configured the level at first */
  constructor(readonly configured: LogLevel) {
    this.#level = configured;
    this.#severity = severityOf(configured);
  }

  get level(): LogLevel {
    return this.#level;
  }

  /** Whether a line of this severity, a number of pino, is written. */
  admits(severity: number): boolean {
    return severity >= this.#severity;
  }

  /** Gives a logger each new level. It may be forgotten by all others meanwhile. */
  steer(logger: Logger): void {
    if (this.#loggers.length >= this.#lookFrom) {
      this.#loggers = this.#loggers.filter((one) => one.deref() !== undefined);
      this.#lookFrom = Math.max(LOOK_FROM, 2 * this.#loggers.length);
    }
    this.#loggers.push(new WeakRef(logger));
  }

  /** Calls back with each new level. @returns what ends that */
  follow(follower: (level: LogLevel) => void): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  /**
   * Changes the level.
   * @param announce writes lines of `info` or above about the change, which appear whatever both levels are
   */
  change(level: LogLevel, announce: () => void): void {
    const loudest = [this.#level, level, 'info' as const].toSorted((one, other) => severityOf(one) - severityOf(other))[0] ?? level;
    this.#apply(loudest);
    announce();
    this.#apply(level);
    for (const follower of this.#followers) follower(level);
  }

  #apply(level: LogLevel): void {
    this.#level = level;
    this.#severity = severityOf(level);
    for (const one of this.#loggers) {
      const logger = one.deref();
      if (logger) logger.level = level;
    }
  }
}
