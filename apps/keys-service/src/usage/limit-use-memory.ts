import type { LimitUse } from '@slipway/contracts';

/** After a minute nothing is taken any more, in milliseconds. */
const FORGET_MS = 60_000;
/** Holders that are remembered at most; the one that was heard of longest ago goes. */
const HOLDERS_MAX = 5_000;

type Holder = LimitUse['holders'][number];

/** What is taken of one holder's limits, and when that was. */
export interface RecalledUse extends Pick<Holder, 'kind' | 'id' | 'requests_taken' | 'tokens_taken'> {
  readonly age_ms: number;
}

/** Remembers for gateways that start what all gateways let through in the last minute. */
export class LimitUseMemory {
  readonly #holders = new Map<string, { readonly holder: Holder; readonly at: number }>();

  heard({ holders }: LimitUse, now: number): void {
    for (const holder of holders) {
      const name = `${holder.kind}:${holder.id}`;
      this.#holders.delete(name);
      this.#holders.set(name, { holder, at: now });
    }
    for (const [name, { at }] of this.#holders) {
      if (this.#holders.size <= HOLDERS_MAX && now - at <= FORGET_MS) return;
      this.#holders.delete(name);
    }
  }

  recall(now: number): RecalledUse[] {
    return [...this.#holders.values()]
      .filter(({ at }) => now - at <= FORGET_MS)
      .map(({ holder: { kind, id, requests_taken, tokens_taken }, at }) => ({ kind, id, requests_taken, tokens_taken, age_ms: now - at }));
  }
}
