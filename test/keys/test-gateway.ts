import { type ApiKeyFeedRecord, Incarnation, KeyFeed, type KeyFeedRecord } from '@slipway/contracts';
import { FeedReader, type FeedSink } from '@slipway/feed';
import { connectNats, createLogger, macOf, type NatsConnection } from '@slipway/platform';
import { type Bus, ENV } from '../services/bus.js';
import { until } from '../testing/until.js';
import { PEPPER } from './keys-service.js';

const log = createLogger('test', 'silent');

/** What a gateway knows of keys: a real reader of the key feed, under the gateways' permissions. */
export class TestGateway implements FeedSink<KeyFeedRecord> {
  readonly #records = new Map<string, KeyFeedRecord>();
  readonly #reader: FeedReader<KeyFeedRecord>;

  private constructor(
    readonly name: string,
    private readonly nats: NatsConnection,
  ) {
    this.#reader = new FeedReader({ contract: KeyFeed, nats, env: ENV, reader: Incarnation.parse(name), sink: this, log });
    this.#reader.start();
  }

  /** @param url address of the server, such as one behind a gate. */
  static async start(bus: Bus, name: string, url = bus.url): Promise<TestGateway> {
    const nats = await connectNats({ url, role: 'gateway', credentialsDir: bus.credentialsDir, name, log });
    return new TestGateway(name, nats);
  }

  replaceAll(records: readonly { readonly id: string; readonly rec: KeyFeedRecord }[]): void {
    this.#records.clear();
    for (const { id, rec } of records) this.put(id, rec);
  }

  put(id: string, rec: KeyFeedRecord): void {
    this.#records.set(id, rec);
  }

  remove(id: string): void {
    this.#records.delete(id);
  }

  get fresh(): boolean {
    return this.#reader.freshness().state === 'fresh';
  }

  key(id: number): ApiKeyFeedRecord | null {
    const record = this.#records.get(`key:${id}`);
    return record?.type === 'key' ? record : null;
  }

  /** Whether a request with this value would pass at this moment. */
  admits(value: string): boolean {
    const mac = macOf(value, PEPPER).toString('base64url');
    for (const record of this.#records.values()) {
      if (record.type !== 'key' || record.mac !== mac) continue;
      return record.state === 'active' && (record.expires === null || record.expires > Date.now());
    }
    return false;
  }

  whenFresh(): Promise<true> {
    return until(`${this.name} is fresh`, () => this.fresh);
  }

  /** Repeating it is harmless. */
  async stop(): Promise<void> {
    await this.#reader.stop();
    await this.nats.close();
  }
}
