import type { StreamEvent } from '@slipway/contracts';

/** One token with its probability, in bytes. */
const PROBABILITY_BYTES = 64;

/** About what the text of an event and the probabilities of its tokens hold in memory, in bytes. */
export function eventBytes(event: StreamEvent): number {
  let bytes = 'x' in event ? 2 * event.x.length : 0;
  if (event.k !== 'text' || !event.lp) return bytes;
  for (const { top } of event.lp) bytes += PROBABILITY_BYTES * (1 + (top?.length ?? 0));
  return bytes;
}
