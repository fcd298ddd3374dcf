import { type ApiKeyFeedRecord, Incarnation, KeyFeed, type KeyFeedRecord } from '@slipway/contracts';
import { FeedReader } from '@slipway/feed';
import { connectNats, createLogger, macOf, type NatsConnection } from '@slipway/platform';
import { KnownRecords } from '../feed/known-records.js';
import { type Bus, ENV } from '../services/bus.js';
import { until } from '../testing/until.js';
import { PEPPER } from './keys-service.js';

const log = createLogger('test', 'silent');

/** A reader of the key feed with the permissions of a gateway. */
export class TestGateway {
  readonly #known = new KnownRecords<KeyFeedRecord>();
  readonly #reader: FeedReader<KeyFeedRecord>;

  private constructor(
    readonly name: string,
    private readonly nats: NatsConnection,
  ) {
    this.#reader = new FeedReader({ contract: KeyFeed, nats, env: ENV, reader: Incarnation.parse(name), sink: this.#known, log });
    this.#reader.start();
  }

  /** @param url address of the server, such as that of a network gate */
  static async start(bus: Bus, name: string, url = bus.url): Promise<TestGateway> {
    const nats = await connectNats({ url, role: 'gateway', credentialsDir: bus.credentialsDir, name, log });
    return new TestGateway(name, nats);
  }

  get fresh(): boolean {
    return this.#reader.freshness().state === 'fresh';
  }

  key(id: number): ApiKeyFeedRecord | null {
    const record = this.#known.now.get(`key:${id}`);
    return record?.type === 'key' ? record : null;
  }

  /** Whether a request with this value would be accepted now. */
  admits(value: string): boolean {
    const mac = macOf(value, PEPPER).toString('base64url');
    for (const record of this.#known.now.values()) {
      if (record.type !== 'key' || record.mac !== mac) continue;
      return record.state === 'active' && (record.expires === null || record.expires > Date.now());
    }
    return false;
  }

  whenFresh(): Promise<true> {
    return until(`${this.name} is fresh`, () => this.fresh);
  }

  /** Can be repeated. */
  async stop(): Promise<void> {
    await this.#reader.stop();
    await this.nats.close();
  }
}
