import type { LimitUse } from '@slipway/contracts';

/** After a minute nothing of a limit is taken any more, in milliseconds. */
const FORGET_MS = 60_000;
/** Keys and accounts that are kept; the one with the oldest report is dropped first. */
const KEPT_MAX = 5_000;

/** A gateway's report on the limits of one key or account. */
type LimitReport = LimitUse['holders'][number];

/** What is taken of the limits of one key or account, and how old the report is. */
export interface RecalledUse extends Pick<LimitReport, 'kind' | 'id' | 'requests_taken' | 'tokens_taken'> {
  readonly age_ms: number;
}

/** Keeps gateways' reports of the last minute, for gateways that start. */
export class LimitUseMemory {
  readonly #reports = new Map<string, { readonly report: LimitReport; readonly at: number }>();

  /** @param now milliseconds of a monotonic clock, as for `recent` */
  record({ holders: reports }: LimitUse, now: number): void {
    for (const report of reports) {
      const name = `${report.kind}:${report.id}`;
      this.#reports.delete(name);
      this.#reports.set(name, { report, at: now });
    }
    for (const [name, { at }] of this.#reports) {
      if (this.#reports.size <= KEPT_MAX && now - at <= FORGET_MS) return;
      this.#reports.delete(name);
    }
  }

  /** Reports that are at most a minute old. */
  recent(now: number): RecalledUse[] {
    return [...this.#reports.values()]
      .filter(({ at }) => now - at <= FORGET_MS)
      .map(({ report: { kind, id, requests_taken, tokens_taken }, at }) => ({ kind, id, requests_taken, tokens_taken, age_ms: now - at }));
  }
}
