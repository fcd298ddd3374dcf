import { setTimeout as delay } from 'node:timers/promises';
import { connectNats, type Logger, type NatsConnection, watchConnection } from '@slipway/platform';
import type { KeysConfig } from './config.js';

/** Time for what was published to leave at the end; a server that hangs must not hold up the stop. */
const DRAIN_MS = 1_000;

/** The process's connection to NATS, and whether it is up. */
export class NatsLink {
  #nats: NatsConnection | undefined;
  #up = false;

  constructor(
    private readonly config: KeysConfig,
    private readonly log: Logger,
  ) {}

  get up(): boolean {
    return this.#up;
  }

  get nats(): NatsConnection {
    if (!this.#nats) throw new Error('The connection to NATS is not open.');
    return this.#nats;
  }

  /** Waits for the server as long as it takes. */
  async open(): Promise<void> {
    const { NATS_URL: url, NATS_CREDENTIALS_DIR: credentialsDir } = this.config;
    const nats = await connectNats({ url, role: 'keys', credentialsDir, name: 'keys-service', log: this.log });
    this.#nats = nats;
    this.#up = true;
    watchConnection(nats, {
      disconnected: () => {
        this.#up = false;
      },
      reconnected: () => {
        this.#up = true;
      },
    });
    void nats.closed().then(() => {
      this.#up = false;
    });
  }

  async close(): Promise<void> {
    await Promise.race([this.nats.drain().catch(() => undefined), delay(DRAIN_MS, undefined, { ref: false })]);
    await this.nats.close();
  }
}
