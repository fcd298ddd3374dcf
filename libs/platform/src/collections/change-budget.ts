interface Bucket {
  tokens: number;
  refilledAt: number;
}

/** How large a bucket of changes is, and how fast it fills again. */
export interface ChangeBudgetOptions {
  /** Changes that may follow each other without a pause. */
  readonly burst: number;
  /** Time after which one more change is granted, in milliseconds. */
  readonly refillMs: number;
}

/** Token buckets that bound how often each deployment or account may change. */
export class ChangeBudget {
  readonly #buckets = new Map<number, Bucket>();

  constructor(private readonly options: ChangeBudgetOptions) {}

  /** Takes one change from the bucket of a deployment or account; false when the bucket is empty. */
  take(id: number, now: number): boolean {
    const { burst, refillMs } = this.options;
    const bucket = this.#buckets.get(id) ?? { tokens: burst, refilledAt: now };
    const granted = Math.floor((now - bucket.refilledAt) / refillMs);
    bucket.tokens = Math.min(burst, bucket.tokens + granted);
    bucket.refilledAt += granted * refillMs;
    this.#buckets.set(id, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  /** Drops the buckets of all other ids. */
  keepOnly(ids: ReadonlySet<number>): void {
    for (const id of this.#buckets.keys()) if (!ids.has(id)) this.#buckets.delete(id);
  }
}
