import { Inject, Injectable } from '@nestjs/common';
import { TrainerHeartbeat, wildcardOf } from '@slipway/contracts';
import {
  CONFIG,
  LOG,
  type Logger,
  type Msg,
  NATS,
  type NatsConnection,
  type ServiceConfig,
  type Subscription,
  watchConnection,
} from '@slipway/platform';
import { Leader } from '../leader.js';
import { TrainerTable } from './trainer-table.js';

/** At most one warning about unreadable heartbeats in this time, in milliseconds. */
const WARN_INTERVAL_MS = 10_000;

/** Fills the table of training workers from their heartbeats. Every replica hears all of them. */
@Injectable()
export class TrainerListener {
  #subscription: Subscription | undefined;
  #warnedAt = -WARN_INTERVAL_MS;

  constructor(
    @Inject(NATS) private readonly nats: NatsConnection,
    @Inject(CONFIG) private readonly config: ServiceConfig,
    @Inject(LOG) private readonly log: Logger,
    private readonly table: TrainerTable,
    private readonly leader: Leader,
  ) {}

  start(): void {
    const callback = (error: Error | null, message: Msg): void => {
      if (!error) this.#read(message);
    };
    this.#subscription = this.nats.subscribe(wildcardOf(TrainerHeartbeat, { env: this.config.SLIPWAY_ENV }), { callback });
    watchConnection(this.nats, { disconnected: () => this.table.disconnected(), reconnected: () => this.table.connected() });
    this.table.connected();
  }

  stop(): void {
    this.#subscription?.unsubscribe();
  }

  #read(message: Msg): void {
    const heartbeat = TrainerHeartbeat.message.safeParse(parsed(message));
    if (!heartbeat.success || !message.subject.endsWith(`.${heartbeat.data.tw}`)) return this.#warn(message.subject);
    if (this.table.report(heartbeat.data)) this.leader.emit('work');
  }

  #warn(subject: string): void {
    if (performance.now() - this.#warnedAt < WARN_INTERVAL_MS) return;
    this.#warnedAt = performance.now();
    this.log.warn({ subject }, 'trainers.heartbeat_unreadable');
  }
}

function parsed(message: Msg): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
