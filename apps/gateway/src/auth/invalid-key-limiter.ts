import { ServiceError } from '@slipway/contracts';
import { RateBuckets } from '@slipway/platform';

/** Burst: this many seconds of the sustained rate. */
const BURST_S = 10;

/** Created once, so that guessing keys costs the gateway little. */
const TOO_MANY = new ServiceError('rate_limit_exceeded', 'Too many invalid API keys came from this address; wait, and check the key.', {
  retryAfterS: 1,
});

/** Limits key guessing: above a rate, invalid keys from one address get 429 instead of 401. Valid keys are not affected. */
export class InvalidKeyLimiter {
  readonly #buckets: RateBuckets;

  /** @param perSecond invalid keys per address; 0 = no limit. @param now monotonic clock in milliseconds. */
  constructor(
    private readonly perSecond: number,
    now: () => number,
  ) {
    this.#buckets = new RateBuckets({ perSecond, burst: perSecond * BURST_S, now });
  }

  /** @returns the error itself, or `rate_limit_exceeded` where the address sent too many invalid keys */
  limited(error: ServiceError, address: string | undefined): ServiceError {
    if (error.code !== 'invalid_api_key' || this.perSecond === 0 || this.#buckets.take(address)) return error;
    return TOO_MANY;
  }
}
