import { ServiceError } from '@slipway/contracts';
import type { Caller } from '../auth/caller.js';
import type { MemoryHold, MemoryShares } from '../memory/memory-shares.js';

/** How often it is looked at whether bodies still arrive, in milliseconds. */
const CHECK_MS = 1_000;
/** Over which time a body's rate is taken, in milliseconds. */
const RATE_WINDOW_MS = 5_000;

export interface UploadsOptions {
  /** What all bodies share. */
  readonly memory: MemoryShares;
  /** Bodies of one account that may be on their way at once, where its record names no number; half as many of one key. */
  readonly perAccount: number;
  /** Least rate at which a body arrives, in bytes per second; 0 = any. */
  readonly bytesPerS: number;
  /** Of this process, in milliseconds. */
  readonly now: () => number;
}

/** One body that is on its way. */
export interface Upload {
  readonly hold: MemoryHold;
  /** Tells of bytes that arrived and of the memory that they take; an error where that is more than may be held. */
  arrived(bytes: number, memory: number): ServiceError | null;
  /** Called once, when the body arrives too slowly. */
  onSlow: ((error: ServiceError) => void) | null;
  /** It is over, whichever way. What has arrived stays held. Repeating it is harmless. */
  end(): void;
}

/** Bodies on their way: how many there are of an account and of a key, what they hold, and whether they still arrive. */
export class Uploads {
  readonly #open = new Set<OpenUpload>();
  readonly #accounts = new Map<number, number>();
  readonly #keys = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: UploadsOptions) {}

  /** @throws ServiceError `rate_limit_exceeded` for an account or a key of which as many as may be are on their way. */
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
      if (this.#open.size === 0) this.#rest();
    });
    this.#open.add(upload);
    if (this.options.bytesPerS > 0) this.#timer ??= setInterval(() => this.#check(), CHECK_MS).unref();
    return upload;
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #check(): void {
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
    readonly hold: MemoryHold,
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

const shareUsed = (): ServiceError =>
  new ServiceError(
    'rate_limit_exceeded',
    'The requests that this API key or its account is sending hold its share of the memory for bodies. Try again soon.',
    {
      retryAfterS: 2,
      facts: { limited: 'requests' },
    },
  );

const tooManyBodies = (): ServiceError =>
  new ServiceError('overloaded', 'The gateway is reading as many large requests as it can hold; try again soon.', { retryAfterS: 2 });
