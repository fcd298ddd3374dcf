import { TestNatsServer, type TestNatsOptions } from '@slipway/testing';
import { Fleet, type FleetOptions } from './fleet.js';
import { RawGateway } from './raw-gateway.js';

/** A NATS server and everything that a test runs on it, which stop together. */
export class FleetStage {
  readonly #ending: (() => Promise<void>)[];

  private constructor(private readonly nats: TestNatsServer) {
    this.#ending = [() => nats.end()];
  }

  static async open(options: TestNatsOptions = {}): Promise<FleetStage> {
    return new FleetStage(await TestNatsServer.start(options));
  }

  async fleet(options: Omit<FleetOptions, 'url'>): Promise<Fleet> {
    const fleet = await Fleet.start({ url: this.nats.url, ...options });
    this.#ending.unshift(() => fleet.end());
    return fleet;
  }

  /** A client that sends invalid messages. */
  async rawGateway(): Promise<RawGateway> {
    const raw = await RawGateway.start(this.nats.url);
    this.#ending.unshift(() => raw.end());
    return raw;
  }

  async end(): Promise<void> {
    for (const end of this.#ending) await end();
  }
}
