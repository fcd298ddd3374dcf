import { ServiceError } from '@slipway/contracts';
import { RateBuckets } from '@slipway/platform';

/** Seconds at the sustained rate that an address may use at once. */
const BURST_S = 10;

/** Made once: those who try keys are not to make the gateway work. */
const TOO_MANY = new ServiceError('rate_limit_exceeded', 'Too many invalid API keys came from this address; wait, and check the key.', {
  retryAfterS: 1,
});

/**
 * Slows down those who try keys: beyond a rate, invalid keys from one address get 429 instead of 401. Good keys from
 * there are not looked at. Behind a proxy, all clients share its address.
 */
export class GuessLimiter {
  readonly #buckets: RateBuckets;

  /** @param perSecond invalid keys from one address; 0 = no limit. @param now milliseconds. */
  constructor(
    private readonly perSecond: number,
    now: () => number,
  ) {
    this.#buckets = new RateBuckets({ perSecond, burst: perSecond * BURST_S, now });
  }

  /** The refusal of an invalid key: the one it has, or `rate_limit_exceeded` where too many came. */
  refusal(refusal: ServiceError, address: string | undefined): ServiceError {
    if (refusal.code !== 'invalid_api_key' || this.perSecond === 0 || this.#buckets.take(address)) return refusal;
    return TOO_MANY;
  }
}
