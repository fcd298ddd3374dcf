import { networksOf } from './networks.js';

/** Most networks of one width; beyond that the longest idle one is forgotten. */
const NETWORKS_MAX = 10_000;

interface Bucket {
  tokens: number;
  at: number;
}

/** What `RateBuckets` needs. */
export interface RateBucketsOptions {
  /** Sustained rate of an address. */
  readonly perSecond: number;
  /** Burst of an address. */
  readonly burst: number;
  /** Milliseconds. */
  readonly now: () => number;
}

/**
 * A token bucket for each address and each wider network around it, in bounded memory: many addresses of one network get no
 * more than the network. Behind a proxy, all clients share its address.
 */
export class RateBuckets {
  /** Buckets by the share of their networks. */
  readonly #widths = new Map<number, Width>();

  constructor(private readonly options: RateBucketsOptions) {}

  /** Takes one token from each bucket of an address; false, with none taken, when one is empty. */
  take(address: string | undefined): boolean {
    const now = this.options.now();
    const networks = networksOf(address ?? '');
    // Widest first, so that a refused request creates no narrower buckets.
    for (const { name, shares } of networks) if (!this.#width(shares).holds(name, now)) return false;
    for (const { name, shares } of networks) this.#width(shares).take(name, now);
    return true;
  }

  #width(shares: number): Width {
    const known = this.#widths.get(shares);
    if (known) return known;
    const { perSecond, burst } = this.options;
    const made = new Width(perSecond * shares, burst * shares);
    this.#widths.set(shares, made);
    return made;
  }
}

/** The buckets of networks of one width. */
class Width {
  /** Longest idle first. */
  readonly #buckets = new Map<string, Bucket>();
  #latest: string | undefined;

  constructor(
    private readonly perSecond: number,
    private readonly burst: number,
  ) {}

  /** Whether a token is available. */
  holds(network: string, now: number): boolean {
    const left = this.#left(network, now);
    // A refused network keeps its bucket, so that others cannot push it out.
    if (left < 1) this.#put(network, { tokens: left, at: now });
    return left >= 1;
  }

  take(network: string, now: number): void {
    this.#put(network, { tokens: this.#left(network, now) - 1, at: now });
  }

  #left(network: string, now: number): number {
    const { tokens, at } = this.#buckets.get(network) ?? { tokens: this.burst, at: now };
    return Math.min(this.burst, tokens + ((now - at) / 1000) * this.perSecond);
  }

  #put(network: string, bucket: Bucket): void {
    // A network that repeats its requests is last already.
    if (network !== this.#latest) this.#buckets.delete(network);
    this.#latest = network;
    this.#buckets.set(network, bucket);
    if (this.#buckets.size <= NETWORKS_MAX) return;
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}
