import type { ServerResponse } from 'node:http';
import { isServiceError } from '@slipway/contracts';

/** How often streams are held to their keys: a stream ends so long after its key was rotated, at most. In milliseconds. */
const CHECK_EVERY_MS = 500;

/**
 * Answers that are still open, by the key that opened them: most are over in milliseconds, subscriptions stay. Those whose
 * key opens nothing any more are ended.
 */
export class OpenStreams {
  readonly #open = new Map<string, Set<ServerResponse>>();
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;

  /** @param check throws ServiceError `invalid_api_key` for a key that opens nothing */
  constructor(private readonly check: (key: string) => Promise<unknown>) {}

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

  /** Ends all of them. */
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
      // A service that does not answer says nothing about the key; new requests are refused meanwhile.
      if (isServiceError(error) && error.code === 'invalid_api_key') for (const response of streams) response.destroy();
    }
  }
}
