import type { ServerResponse } from 'node:http';
import { isServiceError } from '@slipway/contracts';

/** Interval at which the keys of open streams are checked, in milliseconds: the longest time a stream outlives its key. */
const CHECK_EVERY_MS = 500;

/** Open responses by key, mostly subscriptions. It ends the responses of keys that are no longer valid. */
export class OpenStreams {
  readonly #open = new Map<string, Set<ServerResponse>>();
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;

  /** @param check throws ServiceError `invalid_api_key` for a key that is not valid */
  constructor(private readonly check: (key: string) => Promise<unknown>) {}

  /** Watches a response until it closes. */
  add(key: string, response: ServerResponse): void {
    const streams = this.#open.get(key) ?? new Set();
    this.#open.set(key, streams.add(response));
    response.once('close', () => {
      streams.delete(response);
      if (streams.size === 0 && this.#open.get(key) === streams) this.#open.delete(key);
      if (this.#open.size === 0) this.#stop();
    });
    this.#timer ??= setInterval(() => void this.#checkAll(), CHECK_EVERY_MS).unref();
  }

  /** Ends all responses. */
  end(): void {
    for (const streams of this.#open.values()) for (const response of streams) response.destroy();
    this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #checkAll(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    await Promise.all([...this.#open].map(([key, streams]) => this.#checkOne(key, streams)));
    this.#isChecking = false;
  }

  async #checkOne(key: string, streams: ReadonlySet<ServerResponse>): Promise<void> {
    try {
      await this.check(key);
    } catch (error) {
      // Without a reply nothing is known about the key; new requests are refused in the meantime.
      if (isServiceError(error) && error.code === 'invalid_api_key') for (const response of streams) response.destroy();
    }
  }
}
