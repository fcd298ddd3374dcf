import { KeyExpiry } from '@slipway/contracts';
import { UsageError } from '../cli-errors.js';

const NEVER = 'never';
const SPAN = /^(\d{1,4})([hd])$/;
const UNIT_MS = { h: 3_600_000, d: 86_400_000 } as const;

/**
 * Reads when a key ends: a moment like 2026-01-31T00:00:00Z, or hours or days from now (12h, 30d).
 * Null for `never`.
 * @throws UsageError
 */
export function keyExpiry(text: string, now: number): string | null {
  if (text === NEVER) return null;
  const span = SPAN.exec(text);
  if (span) return new Date(now + Number(span[1]) * UNIT_MS[span[2] as 'h' | 'd']).toISOString();
  const moment = KeyExpiry.safeParse(text);
  if (moment.success) return moment.data;
  throw new UsageError(`--expires takes a moment like 2026-01-31T00:00:00Z, a time from now like 12h or 30d, or ${NEVER}; not "${text}".`);
}
