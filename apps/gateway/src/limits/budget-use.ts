import { OpenTable } from '@slipway/platform';

const DAY_MS = 86_400_000;

/** Tokens of one holder by the ledger, with the own requests that are part of them. */
export interface BudgetTotals {
  /** First millisecond of the UTC day that they are of. */
  readonly day: number;
  readonly dayTokens: number;
  readonly monthTokens: number;
  readonly counted: ReadonlyMap<string, { readonly tokens: number; readonly final: boolean }>;
}

/** One request of this gateway: what was set aside for it, later what it used. */
interface OwnRequest {
  tokens: number;
  counted: number;
  isOver: boolean;
}

/** Tokens of a holder today and this month: by the ledger, and by this gateway's own requests that are not in it yet. */
export class BudgetUse {
  readonly #own = new OpenTable<OwnRequest>();
  #day = 0;
  #dayTokens = 0;
  #monthTokens = 0;
  #ownTokens = 0;

  /** False until the ledger has said something. */
  isKnown = false;

  get isIdle(): boolean {
    return this.#own.size === 0;
  }

  /** Own requests that may not be in the ledger yet. */
  open(): Iterable<string> {
    return this.#own.names();
  }

  /** @param now milliseconds since the epoch */
  used(now: number): { readonly day: number; readonly month: number } {
    // What the ledger said of a day that is over says nothing of the next one.
    const sameDay = now - this.#day < DAY_MS;
    const sameMonth = sameDay || new Date(now).getUTCMonth() === new Date(this.#day).getUTCMonth();
    return { day: (sameDay ? this.#dayTokens : 0) + this.#ownTokens, month: (sameMonth ? this.#monthTokens : 0) + this.#ownTokens };
  }

  begin(request: string, tokens: number): void {
    this.#own.set(request, { tokens, counted: 0, isOver: false });
    this.#ownTokens += tokens;
  }

  /** A request is over: what it used takes the place of what was set aside. */
  end(request: string, tokens: number): void {
    const own = this.#own.get(request);
    if (!own) return;
    this.#change(own, tokens, own.counted);
    own.isOver = true;
    if (tokens === 0) this.#own.delete(request);
  }

  counted({ day, dayTokens, monthTokens, counted }: BudgetTotals): void {
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
