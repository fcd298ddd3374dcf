import { INLINE_START_BYTES } from '@slipway/contracts';
import type { Logger, MsgHdrs, NatsConnection } from '@slipway/platform';

/** Room for NATS headers below the server's limit. */
const HEADROOM_BYTES = 4_096;

/** Publishes without throwing. */
export class Publisher {
  readonly #nats: NatsConnection;
  readonly #log: Pick<Logger, 'warn'>;

  constructor(nats: NatsConnection, log: Pick<Logger, 'warn'>) {
    this.#nats = nats;
    this.#log = log;
  }

  /** Largest payload in bytes that the server takes, with room for headers. */
  get limit(): number {
    return Math.min(INLINE_START_BYTES, (this.#nats.info?.max_payload ?? Number.POSITIVE_INFINITY) - HEADROOM_BYTES);
  }

  /** @returns false when the connection refused it: closed, draining, or the payload is too large. */
  send(subject: string, payload: string | Uint8Array, options?: { reply?: string; headers?: MsgHdrs }): boolean {
    try {
      this.#nats.publish(subject, payload, options);
      return true;
    } catch (err) {
      this.#log.warn({ subject, bytes: payload.length, err }, 'stream.publish_failed');
      return false;
    }
  }

  /** @returns false when the server did not confirm what was sent so far. */
  async flush(): Promise<boolean> {
    return this.#nats.flush().then(
      () => true,
      () => false,
    );
  }
}
