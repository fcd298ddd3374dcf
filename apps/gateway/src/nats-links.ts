import { connectNats, type Logger, type NatsConnection, watchConnection } from '@slipway/platform';
import type { GatewayConfig } from './config.js';

/** The gateway's connections: one for tokens, heartbeats and feeds, one for large request bodies. */
export class NatsLinks {
  #nats: NatsConnection | undefined;
  #bulk: NatsConnection | undefined;
  #up = false;

  constructor(
    private readonly config: Pick<GatewayConfig, 'NATS_URL' | 'NATS_CREDENTIALS_DIR'>,
    private readonly log: Logger,
  ) {}

  /** True while the server answers, as far as is known. */
  get up(): boolean {
    return this.#up;
  }

  /** @throws Error before `open`. */
  get nats(): NatsConnection {
    if (!this.#nats) throw new Error('The NATS connection is not open.');
    return this.#nats;
  }

  /** @throws Error before `open`. */
  get bulk(): NatsConnection {
    if (!this.#bulk) throw new Error('The NATS connection is not open.');
    return this.#bulk;
  }

  /** Waits for the server as long as it takes. */
  async open(): Promise<void> {
    const { NATS_URL: url, NATS_CREDENTIALS_DIR: credentialsDir } = this.config;
    const connect = (name: string): Promise<NatsConnection> => connectNats({ url, credentialsDir, role: 'gateway', name, log: this.log });
    this.#nats = await connect('gateway');
    this.#bulk = await connect('gateway-bulk');
    this.#up = true;
    watchConnection(this.#nats, {
      disconnected: () => {
        this.#up = false;
      },
      reconnected: () => {
        this.#up = true;
      },
    });
  }

  async close(): Promise<void> {
    this.#up = false;
    await Promise.all([this.#nats?.drain(), this.#bulk?.drain()]);
  }
}
