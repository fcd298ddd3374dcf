import type { Freshness } from '@slipway/feed';

/**
 * How far the key index may be believed. `absent`: our server says that nobody serves the feed, so keys that were good
 * stay good for a while. `cut_off`: nothing answers, or not for long, so a revocation could be passing by unheard.
 */
export type FeedTrust = 'fresh' | 'absent' | 'cut_off';

/** @param graceMs how long the absence of keys-service is bridged with what is known, in milliseconds. */
export function trustOf({ state, ageMs }: Freshness, graceMs: number): FeedTrust {
  return state === 'absent' && ageMs > graceMs ? 'cut_off' : state;
}
