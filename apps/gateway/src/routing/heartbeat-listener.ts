import { Discover, Heartbeat, type Incarnation, subjectOf, wildcardOf } from '@slipway/contracts';
import { type Msg, type NatsConnection, type Subscription, watchConnection } from '@slipway/platform';
import type { Router } from './router.service.js';

const SWEEP_MS = 500;

export interface HeartbeatListenerOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  readonly gw: Incarnation;
  readonly router: Router;
}

/** Feeds the worker table: hears heartbeats, and asks all runners to report at start and after a reconnect. */
export class HeartbeatListener {
  #subscription: Subscription | undefined;
  #sweeper: NodeJS.Timeout | undefined;

  constructor(private readonly options: HeartbeatListenerOptions) {}

  start(): void {
    const { nats, env, router } = this.options;
    this.#subscription = nats.subscribe(wildcardOf(Heartbeat, { env }), {
      callback: (error, message) => {
        if (!error) this.#hear(message);
      },
    });
    this.#sweeper = setInterval(() => router.sweep(), SWEEP_MS);
    watchConnection(nats, { reconnected: () => this.#discover() });
    this.#discover();
  }

  stop(): void {
    clearInterval(this.#sweeper);
    this.#subscription?.unsubscribe();
  }

  /** NATS has proven the subject alone; what says something else is ignored, as is what cannot be read. */
  #hear(message: Msg): void {
    let json: unknown;
    try {
      json = message.json();
    } catch {
      return;
    }
    const { data: beat } = Heartbeat.message.safeParse(json);
    if (!beat || message.subject !== subjectOf(Heartbeat, { env: this.options.env, dep: beat.dep, wk: beat.wk })) return;
    this.options.router.heard(beat);
  }

  #discover(): void {
    const { nats, env, gw } = this.options;
    nats.publish(subjectOf(Discover, { env }), JSON.stringify({ gw }));
  }
}
