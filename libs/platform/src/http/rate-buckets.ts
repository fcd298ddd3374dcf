/** Addresses that are remembered; beyond them the one that has been quiet for longest is forgotten. */
const MAX_ADDRESSES = 10_000;

interface Bucket {
  tokens: number;
  at: number;
}

export interface RateBucketsOptions {
  /** What an address may use on end. */
  readonly perSecond: number;
  /** What an address may use at once. */
  readonly burst: number;
  /** Milliseconds. */
  readonly now: () => number;
}

/** A token bucket for each network address, in bounded memory. Behind a proxy, all clients share its address. */
export class RateBuckets {
  /** The one that was quiet for longest first. */
  readonly #buckets = new Map<string, Bucket>();
  #latest: string | undefined;

  constructor(private readonly options: RateBucketsOptions) {}

  /** Takes one from the bucket of an address; false when it is empty. */
  take(address: string | undefined): boolean {
    const network = networkOf(address ?? '');
    const { perSecond, burst } = this.options;
    const now = this.options.now();
    const { tokens, at } = this.#buckets.get(network) ?? { tokens: burst, at: now };
    const left = Math.min(burst, tokens + ((now - at) / 1000) * perSecond);
    // Who asks again and again is last already.
    if (network !== this.#latest) this.#buckets.delete(network);
    this.#latest = network;
    this.#buckets.set(network, { tokens: left < 1 ? left : left - 1, at: now });
    this.#forgetOne();
    return left >= 1;
  }

  #forgetOne(): void {
    if (this.#buckets.size <= MAX_ADDRESSES) return;
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
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
