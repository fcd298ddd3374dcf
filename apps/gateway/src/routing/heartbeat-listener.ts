import { Discover, Heartbeat, type Incarnation, subjectOf, wildcardOf } from '@slipway/contracts';
import { eachSecond, type Msg, type NatsConnection, type Subscription, watchConnection } from '@slipway/platform';
import type { Router } from './router.service.js';

export interface HeartbeatListenerOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  readonly gw: Incarnation;
  readonly router: Router;
}

/** Passes heartbeats to the router, and asks all runners for one at start and after a reconnect. */
export class HeartbeatListener {
  #subscription: Subscription | undefined;
  #endSweeps: (() => void) | undefined;

  constructor(private readonly options: HeartbeatListenerOptions) {}

  start(): void {
    const { nats, env, router } = this.options;
    this.#subscription = nats.subscribe(wildcardOf(Heartbeat, { env }), {
      callback: (error, message) => {
        if (!error) this.#receive(message);
      },
    });
    this.#endSweeps = eachSecond(() => router.sweep());
    watchConnection(nats, { reconnected: () => this.#discover() });
    this.#discover();
  }

  stop(): void {
    this.#endSweeps?.();
    this.#subscription?.unsubscribe();
  }

  /** Ignores unreadable messages, and those that differ from their subject, which is all that NATS permissions check. */
  #receive(message: Msg): void {
    let json: unknown;
    try {
      json = message.json();
    } catch {
      return;
    }
    const { data: heartbeat } = Heartbeat.message.safeParse(json);
    if (!heartbeat || message.subject !== subjectOf(Heartbeat, { env: this.options.env, dep: heartbeat.dep, wk: heartbeat.wk })) return;
    this.options.router.onHeartbeat(heartbeat);
  }

  #discover(): void {
    const { nats, env, gw } = this.options;
    nats.publish(subjectOf(Discover, { env }), JSON.stringify({ gw }));
  }
}
