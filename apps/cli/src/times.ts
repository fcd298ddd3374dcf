import { KeyExpiry } from '@slipway/contracts';
import { UsageError } from './cli-errors.js';
import { NEVER } from './values.js';

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/;

/** Milliseconds of a span like 90m, 12h or 30d in one of these units; null for other text. */
export function spanMs(text: string, units: string): number | null {
  const [, count, unit = ''] = /^(\d{1,4})([a-z])$/.exec(text) ?? [];
  return count === undefined || !units.includes(unit) ? null : Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

/**
 * Reads a moment of the past: a UTC date (2026-01-31), a UTC moment (2026-01-31T12:00Z) or a time ago (90m, 24h, 7d).
 * @throws UsageError
 */
export function pastMoment(text: string, now = Date.now()): string {
  const ago = spanMs(text, 'mhd');
  if (ago !== null) return new Date(now - ago).toISOString();
  const time = DATE.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new UsageError('It takes a UTC date like 2026-01-31, a moment like 2026-01-31T12:00Z or a time ago like 24h or 7d.');
}

/**
 * Reads when a key expires: a moment like 2026-01-31T00:00:00Z, or hours or days from now (12h, 30d).
 * `never` stays as it is.
 * @throws UsageError
 */
export function keyExpiry(text: string, now = Date.now()): string {
  if (text === NEVER) return text;
  const span = spanMs(text, 'hd');
  if (span !== null) return new Date(now + span).toISOString();
  const moment = KeyExpiry.safeParse(text);
  if (moment.success) return moment.data;
  throw new UsageError(`It takes a moment like 2026-01-31T00:00:00Z, a time from now like 12h or 30d, or ${NEVER}.`);
}
