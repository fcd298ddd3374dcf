import { networksOf } from './networks.js';

/** Networks of one width that are remembered; beyond them the one that has been quiet for longest is forgotten. */
const NETWORKS_MAX = 10_000;

interface Bucket {
  tokens: number;
  at: number;
}

/** What `RateBuckets` needs. */
export interface RateBucketsOptions {
  /** What an address may use on end. */
  readonly perSecond: number;
  /** What an address may use at once. */
  readonly burst: number;
  /** Milliseconds. */
  readonly now: () => number;
}

/**
 * A token bucket for each network address and for each wider network around it, in bounded memory: who holds many addresses
 * gets no more than the widest network of them does. Behind a proxy, all clients share its address.
 */
export class RateBuckets {
  /** By the shares of their networks. */
  readonly #widths = new Map<number, Width>();

  constructor(private readonly options: RateBucketsOptions) {}

  /** Takes one from the buckets of an address; false when one of them is empty, and then from none. */
  take(address: string | undefined): boolean {
    const now = this.options.now();
    const networks = networksOf(address ?? '');
    // The widest first: what it refuses makes no buckets of the narrower ones.
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
  /** The one that was quiet for longest first. */
  readonly #buckets = new Map<string, Bucket>();
  #latest: string | undefined;

  constructor(
    private readonly perSecond: number,
    private readonly burst: number,
  ) {}

  /** Whether one can be taken now. */
  holds(network: string, now: number): boolean {
    const left = this.#left(network, now);
    // Who is refused is not forgotten for others.
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
    // Who asks again and again is last already.
    if (network !== this.#latest) this.#buckets.delete(network);
    this.#latest = network;
    this.#buckets.set(network, bucket);
    if (this.#buckets.size <= NETWORKS_MAX) return;
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}
