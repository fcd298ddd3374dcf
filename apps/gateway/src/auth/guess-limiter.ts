import { ServiceError } from '@slipway/contracts';

/** Seconds at the sustained rate that an address may use at once. */
const BURST_S = 10;
/** Addresses that are remembered; beyond them the one that has been quiet for longest is forgotten. */
const MAX_ADDRESSES = 10_000;

/** Made once: those who guess must cost little. */
const TOO_MANY = new ServiceError('rate_limit_exceeded', 'Too many invalid API keys came from this address; wait, and check the key.', {
  retryAfterS: 1,
});

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Slows down those who try keys: beyond a rate, invalid keys from one address get 429 instead of 401. Good keys from
 * there are not looked at. Behind a proxy, all clients share its address.
 */
export class GuessLimiter {
  readonly #buckets = new Map<string, Bucket>();

  /** @param perSecond invalid keys from one address; 0 = no limit. @param now milliseconds. */
  constructor(
    private readonly perSecond: number,
    private readonly now: () => number,
  ) {}

  /** The refusal of an invalid key: the one it has, or `rate_limit_exceeded` where too many came. */
  refusal(refusal: unknown, address: string | undefined): unknown {
    const isGuess = refusal instanceof ServiceError && refusal.code === 'invalid_api_key';
    if (!isGuess || this.perSecond === 0 || this.#take(networkOf(address ?? ''))) return refusal;
    return TOO_MANY;
  }

  #take(address: string): boolean {
    const burst = this.perSecond * BURST_S;
    const now = this.now();
    const { tokens, at } = this.#buckets.get(address) ?? { tokens: burst, at: now };
    const left = Math.min(burst, tokens + ((now - at) / 1000) * this.perSecond);
    this.#buckets.delete(address);
    this.#buckets.set(address, { tokens: left < 1 ? left : left - 1, at: now });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MAX_ADDRESSES && oldest !== undefined) this.#buckets.delete(oldest);
    return left >= 1;
  }
}

/** An IPv4 address, or the /64 that one IPv6 customer commonly holds. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  const full = [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail ?? '').split(':')];
  return `${full.slice(0, 4).join(':')}::/64`;
}
