import { Injectable } from '@nestjs/common';
import { type Origin, ServiceError } from '@slipway/contracts';
import { RateBuckets } from '@slipway/platform';

/** Limits attempts at passwords and links per client address. keys-service limits failures per person as well. */
@Injectable()
export class AttemptLimiter {
  readonly #buckets: RateBuckets;

  /** @param perMinute attempts per address; the burst is a third of it. @param now milliseconds */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#buckets = new RateBuckets({ perSecond: perMinute / 60, burst: Math.max(1, Math.ceil(perMinute / 3)), now });
  }

  /** @throws ServiceError `rate_limit_exceeded` */
  admit({ address }: Origin): void {
    if (this.#buckets.take(address)) return;
    throw new ServiceError('rate_limit_exceeded', 'Too many attempts came from this address; try again later.', { retryAfterS: 10 });
  }
}
