import { Inject, Injectable } from '@nestjs/common';
import { AgentHeartbeat, type Incarnation, wildcardOf } from '@slipway/contracts';
import {
  BoxSealer,
  CONFIG,
  LOG,
  type Logger,
  type Msg,
  NATS,
  type NatsConnection,
  type ServiceConfig,
  PartCollector,
  type Subscription,
  watchConnection,
} from '@slipway/platform';
import { Placer } from '../placement/placer.js';
import { AgentTable } from './agent-table.js';

/** At most one complaint about unreadable heartbeats in this time, in milliseconds. */
const COMPLAINT_MS = 10_000;

/** What is kept of an agent between its heartbeats. */
interface Known {
  /** As it was told first; an agent has one key until it ends. */
  readonly told: string | undefined;
  /** The key, where secrets can be sealed for it. */
  readonly key: string | undefined;
  readonly parts: PartCollector<AgentHeartbeat>;
  digest: string;
}

/** Fills the agent table from heartbeats, and wakes the placer when an agent is new or changed. Every replica of the service listens to all of them. */
@Injectable()
export class AgentListener {
  readonly #known = new Map<Incarnation, Known>();
  #subscription: Subscription | undefined;
  #complainedAt = -COMPLAINT_MS;

  readonly #nats: NatsConnection;
  readonly #env: string;
  readonly #log: Logger;
  readonly #table: AgentTable;
  readonly #placer: Placer;

  constructor(
    @Inject(NATS) nats: NatsConnection,
    @Inject(CONFIG) { SLIPWAY_ENV: env }: ServiceConfig,
    @Inject(LOG) log: Logger,
    table: AgentTable,
    placer: Placer,
  ) {
    this.#nats = nats;
    this.#env = env;
    this.#log = log;
    this.#table = table;
    this.#placer = placer;
  }

  start(): void {
    const [nats, table] = [this.#nats, this.#table];
    const callback = (error: Error | null, message: Msg): void => {
      if (!error) this.#read(message);
    };
    this.#subscription = nats.subscribe(wildcardOf(AgentHeartbeat, { env: this.#env }), { callback });
    watchConnection(nats, { disconnected: () => table.disconnected(), reconnected: () => table.connected() });
    table.connected();
  }

  stop(): void {
    this.#subscription?.unsubscribe();
  }

  #read(message: Msg): void {
    const heartbeat = AgentHeartbeat.message.safeParse(parse(message));
    if (!heartbeat.success) return this.#complain(message.subject, heartbeat.error.issues[0]?.path.join('.'));
    if (!message.subject.endsWith(`.${heartbeat.data.wk}`)) return this.#complain(message.subject, 'wk');
    const known = this.#knownOf(heartbeat.data);
    if (known.told !== heartbeat.data.key) return this.#complain(message.subject, 'key');
    const whole = this.#wholeOf(heartbeat.data, known);
    return whole ? this.#take(whole, known) : this.#table.alive(heartbeat.data.wk);
  }

  #knownOf({ wk, key }: AgentHeartbeat): Known {
    const found = this.#known.get(wk);
    if (found) return found;
    this.#forgetGone();
    const known = {
      told: key,
      key: key !== undefined && isUsable(key) ? key : undefined,
      parts: new PartCollector<AgentHeartbeat>(),
      digest: '',
    };
    this.#known.set(wk, known);
    return known;
  }

  /** Null while parts of it are missing. */
  #wholeOf({ part, ...heartbeat }: AgentHeartbeat, { parts }: Known): AgentHeartbeat | null {
    if (!part) return heartbeat;
    const all = parts.add(String(part.no), part, heartbeat);
    return all && { ...heartbeat, loads: all.flatMap(({ loads }) => loads), cached: all.flatMap(({ cached }) => cached) };
  }

  #take({ key: _, ...heartbeat }: AgentHeartbeat, known: Known): void {
    const { loads, engines, draining } = heartbeat;
    this.#table.beat({ ...heartbeat, ...(known.key !== undefined && { key: known.key }) });
    const digest = JSON.stringify([engines, draining, loads.map(({ dep, rev, state, reason }) => [dep, rev, state, reason])]);
    if (known.digest === digest) return;
    known.digest = digest;
    this.#placer.changed();
  }

  #forgetGone(): void {
    for (const wk of this.#known.keys()) if (!this.#table.knows(wk)) this.#known.delete(wk);
  }

  #complain(subject: string, field: string | undefined): void {
    if (performance.now() - this.#complainedAt < COMPLAINT_MS) return;
    this.#complainedAt = performance.now();
    this.#log.warn({ subject, field }, 'agents.heartbeat_unreadable');
  }
}

function isUsable(key: string): boolean {
  try {
    new BoxSealer(key);
    return true;
  } catch {
    return false;
  }
}

function parse(message: Msg): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
