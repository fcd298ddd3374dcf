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
import { LoadTimes } from './load-times.js';

/** At most one warning about unreadable heartbeats in this time, in milliseconds. */
const WARN_INTERVAL_MS = 10_000;

/** What is remembered of an agent between its heartbeats. */
interface Known {
  /** The key in its first heartbeat. An agent keeps its key until it ends. */
  readonly announcedKey: string | undefined;
  /** The same, if secrets can be sealed with it. */
  readonly key: string | undefined;
  readonly parts: PartCollector<AgentHeartbeat>;
  digest: string;
}

/** Fills the agent table from heartbeats and wakes the placer when an agent is new or changed. Every replica receives all heartbeats. */
@Injectable()
export class AgentListener {
  readonly #known = new Map<Incarnation, Known>();
  #subscription: Subscription | undefined;
  #warnedAt = -WARN_INTERVAL_MS;

  readonly #nats: NatsConnection;
  readonly #env: string;
  readonly #log: Logger;
  readonly #table: AgentTable;
  readonly #times: LoadTimes;
  readonly #placer: Placer;

  constructor(
    @Inject(NATS) nats: NatsConnection,
    @Inject(CONFIG) { SLIPWAY_ENV: env }: ServiceConfig,
    @Inject(LOG) log: Logger,
    table: AgentTable,
    times: LoadTimes,
    placer: Placer,
  ) {
    this.#nats = nats;
    this.#env = env;
    this.#log = log;
    this.#table = table;
    this.#times = times;
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
    if (!heartbeat.success) return this.#warn(message.subject, heartbeat.error.issues[0]?.path.join('.'));
    if (!message.subject.endsWith(`.${heartbeat.data.wk}`)) return this.#warn(message.subject, 'wk');
    const known = this.#knownOf(heartbeat.data);
    if (known.announcedKey !== heartbeat.data.key) return this.#warn(message.subject, 'key');
    const whole = this.#assemble(heartbeat.data, known);
    return whole ? this.#accept(whole, known) : this.#table.touch(heartbeat.data.wk);
  }

  #knownOf({ wk, key }: AgentHeartbeat): Known {
    const found = this.#known.get(wk);
    if (found) return found;
    this.#dropGone();
    const known = {
      announcedKey: key,
      key: key !== undefined && isUsable(key) ? key : undefined,
      parts: new PartCollector<AgentHeartbeat>(),
      digest: '',
    };
    this.#known.set(wk, known);
    return known;
  }

  /** Joins the parts of a heartbeat; null while parts are missing. */
  #assemble({ part, ...heartbeat }: AgentHeartbeat, { parts }: Known): AgentHeartbeat | null {
    if (!part) return heartbeat;
    const all = parts.add(String(part.no), part, heartbeat);
    return all && { ...heartbeat, loads: all.flatMap(({ loads }) => loads), cached: all.flatMap(({ cached }) => cached) };
  }

  #accept({ key: _, ...heartbeat }: AgentHeartbeat, known: Known): void {
    const { loads, engines, draining } = heartbeat;
    this.#table.report({ ...heartbeat, ...(known.key !== undefined && { key: known.key }) });
    const digest = JSON.stringify([engines, draining, loads.map(({ dep, rev, state, reason }) => [dep, rev, state, reason])]);
    if (known.digest === digest) return;
    known.digest = digest;
    this.#times.observe(heartbeat);
    this.#placer.changed();
  }

  #dropGone(): void {
    for (const wk of this.#known.keys()) if (!this.#table.knows(wk)) this.#known.delete(wk);
    this.#times.keepOnly((wk) => this.#table.knows(wk));
  }

  #warn(subject: string, field: string | undefined): void {
    if (performance.now() - this.#warnedAt < WARN_INTERVAL_MS) return;
    this.#warnedAt = performance.now();
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
