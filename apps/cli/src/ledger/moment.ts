import { UsageError } from '../cli-errors.js';

const SPAN = /^(\d{1,4})(m|h|d)$/;
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/;

/**
 * Reads a moment of the past: a UTC date (2026-01-31), a UTC moment (2026-01-31T12:00Z) or a time ago (90m, 24h, 7d).
 * @throws UsageError
 */
export function moment(option: string, text: string, now: number): string {
  const span = SPAN.exec(text);
  if (span) return new Date(now - Number(span[1]) * UNIT_MS[span[2] as 'm' | 'h' | 'd']).toISOString();
  const time = DATE.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new UsageError(
    `--${option} takes a UTC date like 2026-01-31, a moment like 2026-01-31T12:00Z or a time ago like 24h or 7d; not "${text}".`,
  );
}
