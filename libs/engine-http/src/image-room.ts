import { ServiceError } from '@slipway/contracts';
import { type BudgetShare, SharedBudget } from '@slipway/platform';

const MIB = 1024 * 1024;

/** Bytes of fetched images that are held at once; in a body each takes a third more. */
export interface ImageRoomBounds {
  readonly perRequest: number;
  readonly perAccount: number;
  readonly inAll: number;
}

/** A request may have about as much fetched for it as it may carry itself. */
const BOUNDS: ImageRoomBounds = { perRequest: 32 * MIB, perAccount: 64 * MIB, inAll: 128 * MIB };

/** Room for images that are fetched for requests, shared among accounts. */
export class ImageRoom {
  readonly #budget: SharedBudget;

  constructor(private readonly bounds = BOUNDS) {
    this.#budget = new SharedBudget(bounds.inAll);
  }

  /** @param account the account that asks; null = none */
  open(account: number | null): ImageHold {
    const { perRequest, perAccount: max } = this.bounds;
    return new ImageHold(this.#budget, { owner: `account:${account ?? 'none'}`, max }, perRequest);
  }
}

/** What one request holds. */
export class ImageHold {
  #bytes = 0;

  constructor(
    private readonly budget: SharedBudget,
    private readonly share: BudgetShare,
    private readonly max: number,
  ) {}

  /** @throws ServiceError `request_too_large` beyond what one request may have, `overloaded` while others hold too much. */
  take(bytes: number): void {
    if (this.#bytes + bytes > this.max) {
      const message = `The images that this request names by address are larger than ${this.max} bytes together.`;
      throw new ServiceError('request_too_large', message, { param: 'messages' });
    }
    if (!this.budget.take(bytes, [this.share])) {
      throw new ServiceError('overloaded', 'Too many images are being fetched at once; try again soon.', { retryAfterS: 2 });
    }
    this.#bytes += bytes;
  }

  /** Gives everything back. Repeating it is harmless. */
  release(): void {
    this.budget.giveBack(this.#bytes, [this.share]);
    this.#bytes = 0;
  }
}
