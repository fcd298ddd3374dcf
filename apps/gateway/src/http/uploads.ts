import { ServiceError } from '@slipway/contracts';
import type { Caller } from '../auth/key-verifier.service.js';
import type { MemoryReservation, MemoryShares } from '../memory/memory-shares.js';

/** Interval at which the rates of bodies are checked, in milliseconds. */
const CHECK_MS = 1_000;
/** Time over which a body's rate is measured, in milliseconds. */
const RATE_WINDOW_MS = 5_000;

export interface UploadsOptions {
  /** Memory shared by all bodies. */
  readonly memory: MemoryShares;
  /** Most concurrent uploads of an account whose record sets no number; a key may have half as many. */
  readonly perAccount: number;
  /** Least rate of a body, in bytes per second; 0 = any. */
  readonly bytesPerS: number;
  /** Monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** One body that is being received. */
export interface Upload {
  readonly hold: MemoryReservation;
  /** Counts received bytes and reserves memory for them. @returns the error where there is no memory left */
  arrived(bytes: number, memory: number): ServiceError | null;
  /** Called once, when the body arrives too slowly. */
  onSlow: ((error: ServiceError) => void) | null;
  /** Ends the upload. Its memory stays reserved. Further calls do nothing. */
  end(): void;
}

/** Limits concurrent uploads per account and key, their memory and their least rate. */
export class Uploads {
  readonly #open = new Set<OpenUpload>();
  readonly #accounts = new Map<number, number>();
  readonly #keys = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: UploadsOptions) {}

  /** @throws ServiceError `rate_limit_exceeded` where the account or the key has its maximum of uploads */
  begin({ account, key }: Caller): Upload {
    const most = account.uploads ?? this.options.perAccount;
    if (countOf(this.#accounts, account.id) >= most) throw tooManyUploads('account', most);
    const mostOfKey = Math.ceil(most / 2);
    if (countOf(this.#keys, key.id) >= mostOfKey) throw tooManyUploads('API key', mostOfKey);
    count(this.#accounts, account.id, 1);
    count(this.#keys, key.id, 1);
    const upload = new OpenUpload(this.options.memory.open(account.id, key.id), this.options.now(), (ended) => {
      this.#open.delete(ended);
      count(this.#accounts, account.id, -1);
      count(this.#keys, key.id, -1);
    });
    this.#open.add(upload);
    if (this.options.bytesPerS > 0) this.#timer ??= setInterval(() => this.#check(), CHECK_MS).unref();
    return upload;
  }

  /** The timer ends with the first round that finds no upload: one for each short body would cost more than counting it. */
  #check(): void {
    if (this.#open.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const now = this.options.now();
    for (const upload of this.#open) upload.check(now, this.options.bytesPerS);
  }
}

class OpenUpload implements Upload {
  onSlow: ((error: ServiceError) => void) | null = null;
  #bytes = 0;
  #markBytes = 0;
  #isOpen = true;

  constructor(
    readonly hold: MemoryReservation,
    private markedAt: number,
    private readonly ended: (upload: OpenUpload) => void,
  ) {}

  arrived(bytes: number, memory: number): ServiceError | null {
    const taken = memory > 0 ? this.hold.take(memory) : 'taken';
    if (taken !== 'taken') return taken === 'full' ? tooManyBodies() : shareUsed();
    this.#bytes += bytes;
    return null;
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.ended(this);
  }

  check(now: number, bytesPerS: number): void {
    const ms = now - this.markedAt;
    if (ms < RATE_WINDOW_MS) return;
    const isSlow = this.#bytes - this.#markBytes < (bytesPerS * ms) / 1_000;
    this.markedAt = now;
    this.#markBytes = this.#bytes;
    if (isSlow) this.onSlow?.(tooSlow(bytesPerS));
  }
}

const countOf = (counts: ReadonlyMap<number, number>, id: number): number => counts.get(id) ?? 0;

function count(counts: Map<number, number>, id: number, change: number): void {
  const now = countOf(counts, id) + change;
  if (now > 0) counts.set(id, now);
  else counts.delete(id);
}

const tooManyUploads = (whose: string, most: number): ServiceError =>
  new ServiceError('rate_limit_exceeded', `This ${whose} may send ${most} request bodies at once. Try again soon.`, {
    retryAfterS: 1,
    facts: { limited: 'requests' },
  });

const tooSlow = (bytesPerS: number): ServiceError =>
  new ServiceError('request_timeout', `The request body arrived more slowly than ${bytesPerS} bytes per second.`);

/** The error where the account or the key has used its share of the memory for bodies. */
export const shareUsed = (): ServiceError =>
  new ServiceError('rate_limit_exceeded', 'The memory for request bodies of this API key or its account is used up. Try again soon.', {
    retryAfterS: 2,
    facts: { limited: 'requests' },
  });

/** The error where no memory for bodies is left. */
export const tooManyBodies = (): ServiceError =>
  new ServiceError('overloaded', "The gateway's memory for request bodies is used up; try again soon.", { retryAfterS: 2 });
