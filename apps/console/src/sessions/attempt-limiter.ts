import { Injectable } from '@nestjs/common';
import { type Origin, ServiceError } from '@slipway/contracts';
import { RateBuckets } from '@slipway/platform';

/** Slows down who tries passwords or links from one address; keys-service counts failures by person besides. */
@Injectable()
export class AttemptLimiter {
  readonly #buckets: RateBuckets;

  /** @param perMinute tries from one address; a third of them at once. @param now milliseconds */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#buckets = new RateBuckets({ perSecond: perMinute / 60, burst: Math.max(1, Math.ceil(perMinute / 3)), now });
  }

  /** @throws ServiceError `rate_limit_exceeded` */
  admit({ address }: Origin): void {
    if (this.#buckets.take(address)) return;
    throw new ServiceError('rate_limit_exceeded', 'Too many attempts came from this address; wait a little.', { retryAfterS: 10 });
  }
}
