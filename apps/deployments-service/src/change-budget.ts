interface Bucket {
  tokens: number;
  refilledAt: number;
}

export interface ChangeBudgetOptions {
  /** Changes in a row. */
  readonly burst: number;
  /** Time in which one more is granted, in milliseconds. */
  readonly refillMs: number;
}

/** Bounds how often each of many may change. */
export class ChangeBudget {
  readonly #buckets = new Map<number, Bucket>();

  constructor(private readonly options: ChangeBudgetOptions) {}

  /** Takes one change of the budget of a deployment or account; false when it has to wait. */
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

  /** Forgets those that no longer exist. */
  keepOnly(ids: ReadonlySet<number>): void {
    for (const id of this.#buckets.keys()) if (!ids.has(id)) this.#buckets.delete(id);
  }
}
