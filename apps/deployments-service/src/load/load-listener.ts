import { Inject, Injectable } from '@nestjs/common';
import { GatewayLoad, subjectOf, wildcardOf } from '@slipway/contracts';
import { CONFIG, type Msg, NATS, type NatsConnection, type ServiceConfig, type Subscription } from '@slipway/platform';
import { LoadTable } from './load-table.js';

/** Fills the load table from the reports of gateways. Every replica receives all of them. */
@Injectable()
export class LoadListener {
  #subscription: Subscription | undefined;

  constructor(
    @Inject(NATS) private readonly nats: NatsConnection,
    @Inject(CONFIG) private readonly config: ServiceConfig,
    private readonly table: LoadTable,
  ) {}

  start(): void {
    const callback = (error: Error | null, message: Msg): void => {
      if (!error) this.#read(message);
    };
    this.#subscription = this.nats.subscribe(wildcardOf(GatewayLoad, { env: this.config.SLIPWAY_ENV }), { callback });
  }

  stop(): void {
    this.#subscription?.unsubscribe();
  }

  /** Ignores unreadable messages, and those that name another gateway than their subject. */
  #read(message: Msg): void {
    let json: unknown;
    try {
      json = message.json();
    } catch {
      return;
    }
    const { data } = GatewayLoad.message.safeParse(json);
    if (data && message.subject === subjectOf(GatewayLoad, { env: this.config.SLIPWAY_ENV, gw: data.gw })) this.table.report(data);
  }
}
