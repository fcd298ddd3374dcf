/** Changes that a deployment may make in a row, and the time in which one more is granted, in milliseconds. */
const BURST = 8;
const REFILL_MS = 5_000;

interface Bucket {
  tokens: number;
  refilledAt: number;
}

/**
 * Bounds how often a deployment's state is published: eight changes at once, then one each 5 s. A
 * change that is put off is not lost, for the newest state is compared again with each round.
 */
export class ChangeBudget {
  readonly #buckets = new Map<number, Bucket>();

  /** Takes one change of the deployment's budget; false when it has to wait. */
  take(dep: number, now: number): boolean {
    const bucket = this.#buckets.get(dep) ?? { tokens: BURST, refilledAt: now };
    const granted = Math.floor((now - bucket.refilledAt) / REFILL_MS);
    bucket.tokens = Math.min(BURST, bucket.tokens + granted);
    bucket.refilledAt += granted * REFILL_MS;
    this.#buckets.set(dep, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  /** Forgets deployments that no longer exist. */
  keepOnly(deps: ReadonlySet<number>): void {
    for (const dep of this.#buckets.keys()) if (!deps.has(dep)) this.#buckets.delete(dep);
  }
}
