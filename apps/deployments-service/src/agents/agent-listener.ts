import { AgentHeartbeat, wildcardOf } from '@slipway/contracts';
import { type Logger, type Msg, type NatsConnection, type Subscription, watchConnection } from '@slipway/platform';
import type { AgentTable } from './agent-table.js';

/** At most one complaint about unreadable heartbeats in this time, in milliseconds. */
const COMPLAINT_MS = 10_000;

export interface AgentListenerOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  readonly log: Logger;
  readonly table: AgentTable;
  /** An agent is new, or its loads, engines or willingness changed. */
  readonly changed: () => void;
}

/** Fills the agent table from heartbeats. Every replica of the service listens to all of them. */
export class AgentListener {
  readonly #digests = new Map<string, string>();
  #subscription: Subscription | undefined;
  #complainedAt = -COMPLAINT_MS;

  constructor(private readonly options: AgentListenerOptions) {}

  start(): void {
    const { nats, env, table } = this.options;
    const callback = (error: Error | null, message: Msg): void => {
      if (!error) this.#read(message);
    };
    this.#subscription = nats.subscribe(wildcardOf(AgentHeartbeat, { env }), { callback });
    watchConnection(nats, { disconnected: () => table.disconnected(), reconnected: () => table.connected() });
    table.connected();
  }

  stop(): void {
    this.#subscription?.unsubscribe();
  }

  #read(message: Msg): void {
    const heartbeat = AgentHeartbeat.message.safeParse(parse(message));
    if (!heartbeat.success) return this.#complain(message.subject, heartbeat.error.issues[0]?.path.join('.'));
    const { wk, loads, engines, draining } = heartbeat.data;
    this.options.table.beat(heartbeat.data);
    const digest = JSON.stringify([engines, draining, loads.map(({ dep, rev, state, reason }) => [dep, rev, state, reason])]);
    if (this.#digests.get(wk) === digest) return undefined;
    this.#forgetGone();
    this.#digests.set(wk, digest);
    return this.options.changed();
  }

  #forgetGone(): void {
    for (const wk of this.#digests.keys()) if (!this.options.table.knows(wk)) this.#digests.delete(wk);
  }

  #complain(subject: string, field: string | undefined): void {
    if (performance.now() - this.#complainedAt < COMPLAINT_MS) return;
    this.#complainedAt = performance.now();
    this.options.log.warn({ subject, field }, 'agents.heartbeat_unreadable');
  }
}

function parse(message: Msg): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
