import { OpenTable } from '@slipway/platform';

const DAY_MS = 86_400_000;

/** Totals of one key or account in the ledger, and which of this gateway's requests they include. */
export interface BudgetTotals {
  /** First millisecond of the UTC day that the totals are for. */
  readonly day: number;
  readonly dayTokens: number;
  readonly monthTokens: number;
  readonly counted: ReadonlyMap<string, { readonly tokens: number; readonly final: boolean }>;
}

/** One request of this gateway. `tokens` = reserved, once it is over used; `counted` = part that the ledger includes. */
interface OwnRequest {
  tokens: number;
  counted: number;
  isOver: boolean;
}

/** Tokens of a key or account today and this month: the ledger's totals and this gateway's requests that are not in them yet. */
export class BudgetUse {
  readonly #own = new OpenTable<OwnRequest>();
  #day = 0;
  #dayTokens = 0;
  #monthTokens = 0;
  #ownTokens = 0;

  /** False until the first totals have arrived. */
  isKnown = false;

  get isIdle(): boolean {
    return this.#own.size === 0;
  }

  /** Own requests that the ledger may not include yet. */
  openRequests(): Iterable<string> {
    return this.#own.names();
  }

  /** @param now milliseconds since the epoch */
  used(now: number): { readonly day: number; readonly month: number } {
    // Totals of an earlier day do not count for today.
    const sameDay = now - this.#day < DAY_MS;
    const sameMonth = sameDay || new Date(now).getUTCMonth() === new Date(this.#day).getUTCMonth();
    return { day: (sameDay ? this.#dayTokens : 0) + this.#ownTokens, month: (sameMonth ? this.#monthTokens : 0) + this.#ownTokens };
  }

  reserve(request: string, tokens: number): void {
    this.#own.set(request, { tokens, counted: 0, isOver: false });
    this.#ownTokens += tokens;
  }

  /** Ends a request: the tokens that it used replace the reserved ones. */
  settle(request: string, tokens: number): void {
    const own = this.#own.get(request);
    if (!own) return;
    this.#change(own, tokens, own.counted);
    own.isOver = true;
    if (tokens === 0) this.#own.delete(request);
  }

  applyTotals({ day, dayTokens, monthTokens, counted }: BudgetTotals): void {
    this.isKnown = true;
    this.#day = day;
    this.#dayTokens = dayTokens;
    this.#monthTokens = monthTokens;
    for (const [request, { tokens, final }] of counted) {
      const own = this.#own.get(request);
      if (!own) continue;
      this.#change(own, own.tokens, tokens);
      if (final && own.isOver) this.#forget(request, own);
    }
  }

  #change(own: OwnRequest, tokens: number, counted: number): void {
    this.#ownTokens -= Math.max(0, own.tokens - own.counted);
    own.tokens = tokens;
    own.counted = counted;
    this.#ownTokens += Math.max(0, own.tokens - own.counted);
  }

  #forget(request: string, own: OwnRequest): void {
    this.#ownTokens -= Math.max(0, own.tokens - own.counted);
    this.#own.delete(request);
  }
}
