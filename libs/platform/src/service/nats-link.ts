import type { NatsConnection } from '@nats-io/transport-node';
import { overWithin } from '../time/over-within.js';
import { connectNats, type NatsOptions } from '../nats/connect.js';
import { TlsGuard, type TlsGuardOptions } from '../nats/tls/tls-guard.js';
import { watchConnection } from '../nats/watch-connection.js';

/** Time for what was published to leave at the end; a server that hangs must not hold up the stop. */
const DRAIN_MS = 1_000;
/** While the first connection is waited for, the log says so this often, in milliseconds. */
const WAIT_LOG_MS = 5_000;

/** A connection to NATS, and whether it is up. */
export class NatsLink {
  #nats: NatsConnection | undefined;
  #up = false;
  readonly #guard: TlsGuard;

  /** @param seen see `TlsGuardOptions` */
  constructor(
    private readonly options: NatsOptions,
    seen?: TlsGuardOptions['seen'],
  ) {
    const { url, tls, name, log } = options;
    const moveOver = async (): Promise<void> => {
      await this.nats.flush();
      await this.nats.reconnect();
    };
    this.#guard = new TlsGuard({ url, tls, name, log, isUp: () => this.#up, moveOver, ...(seen && { seen }) });
  }

  /** Why the connection is down, as far as TLS is why; null for another reason. */
  get trouble(): string | null {
    return this.#up ? null : this.#guard.trouble;
  }

  /** True while the server answers, as far as is known. */
  get up(): boolean {
    return this.#up;
  }

  /** @throws Error before `open` */
  get nats(): NatsConnection {
    if (!this.#nats) throw new Error('The connection to NATS is not open.');
    return this.#nats;
  }

  /** Waits for the server as long as it takes. @throws ConfigError as `connectNats` does */
  async open(): Promise<void> {
    const { log, name } = this.options;
    const waiting = setInterval(() => log.warn({ connection: name }, 'nats.waiting'), WAIT_LOG_MS);
    this.#guard.start();
    try {
      this.#nats = await connectNats(this.options);
    } catch (error) {
      this.#guard.stop();
      throw error;
    } finally {
      clearInterval(waiting);
    }
    this.#up = true;
    watchConnection(this.#nats, {
      disconnected: () => {
        this.#up = false;
      },
      reconnected: () => {
        this.#up = true;
      },
    });
    void this.#nats.closed().then(() => {
      this.#up = false;
    });
  }

  async close(): Promise<void> {
    this.#guard.stop();
    // What fails to drain is closed all the same.
    await overWithin(
      DRAIN_MS,
      this.nats.drain().catch(() => undefined),
    );
    await this.nats.close();
  }
}
