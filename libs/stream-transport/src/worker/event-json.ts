import type { StreamEvent } from '@slipway/contracts';

/** UTF-8 bytes that one UTF-16 code unit of JSON can need at most. */
const WORST_BYTES_PER_CHAR = 3;

/** Events of one frame, as JSON without the brackets. */
export interface EventChunk {
  readonly n: number;
  readonly json: string;
}

const fits = (json: string, limit: number): boolean => json.length * WORST_BYTES_PER_CHAR <= limit || Buffer.byteLength(json) <= limit;

/**
 * Writes events as JSON and splits them over as many frames as the limit in bytes asks for.
 * @returns null when a single event is larger than the limit.
 */
export function chunkEvents(events: readonly StreamEvent[], limit: number): EventChunk[] | null {
  const whole = JSON.stringify(events).slice(1, -1);
  if (fits(whole, limit)) return [{ n: events.length, json: whole }];
  if (events.length === 1) return null;
  const half = events.length >> 1;
  const left = chunkEvents(events.slice(0, half), limit);
  const right = left && chunkEvents(events.slice(half), limit);
  return left && right && [...left, ...right];
}
