import { type DeploymentId, type Heartbeat, type Incarnation, PROTOCOL } from '@slipway/contracts';
import type { WorkerLoad } from '../types.js';
import type { Clock } from '../wire/clock.js';

/** What a worker's side has seen since it started; all values only rise. */
export interface SenderCounters {
  /** Starts admitted. */
  started: number;
  /** Starts refused, for whatever reason. */
  rejected: number;
  /** Starts and control messages that could not be read. */
  malformed: number;
  /** Starts that were already known: answered again, not run again. */
  duplicates: number;
  /** Starts of attempts that were over before they arrived. */
  past: number;
  /** Streams that a gateway cancelled. */
  cancelled: number;
  /** Streams stopped because no acknowledgement named them for the length of the lease. */
  leasesEnded: number;
  /** Gateways that were found gone. */
  gatewaysGone: number;
  /** Streams stopped because their gateway was gone. */
  abandoned: number;
  replays: number;
  /** Times that the own event loop stood still. */
  stalls: number;
}

export const newSenderCounters = (): SenderCounters => ({
  started: 0,
  rejected: 0,
  malformed: 0,
  duplicates: 0,
  past: 0,
  cancelled: 0,
  leasesEnded: 0,
  gatewaysGone: 0,
  abandoned: 0,
  replays: 0,
  stalls: 0,
});

/** A worker's fixed fields in its heartbeats. */
export interface WorkerIdentity {
  readonly wk: Incarnation;
  readonly dep: DeploymentId;
  readonly rev: number;
  readonly fingerprint: string;
  readonly caps: readonly string[];
  readonly zone: string | null;
}

export interface LoadReporterOptions {
  readonly identity: WorkerIdentity;
  readonly load: () => WorkerLoad;
  readonly publish: (heartbeat: Heartbeat) => void;
  readonly clock: Clock;
  /** Time between two regular reports. One may come a tenth earlier, together with other work of its second. */
  readonly heartbeatMs: number;
  /** Least distance of two reports. */
  readonly spacingMs: number;
}

/** Share of the time between two regular reports after which the next one may come. */
const EARLIEST = 0.9;

/** Reports a worker's load to gateways: regularly, and at once when a change affects routing. */
export class LoadReporter {
  #sentAt = Number.NEGATIVE_INFINITY;
  #sent = '';
  #n = 0;
  #timer: NodeJS.Timeout | null = null;

  readonly #options: LoadReporterOptions;

  constructor(options: LoadReporterOptions) {
    this.#options = options;
  }

  /** Reports now, or as soon as the spacing allows. */
  report(): void {
    if (this.#timer) return;
    const wait = this.#sentAt + this.#options.spacingMs - this.#options.clock();
    if (wait <= 0) this.#send();
    else this.#timer = setTimeout(() => this.#sendLate(), wait);
  }

  /** Reports if the worker became full or free, or changed state, since the last report. */
  changed(): void {
    if (routingState(this.#options.load()) !== this.#sent) this.report();
  }

  tick(now: number): void {
    if (now - this.#sentAt >= this.#options.heartbeatMs * EARLIEST) this.report();
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #sendLate(): void {
    this.#timer = null;
    this.#send();
  }

  #send(): void {
    const { identity, clock, publish } = this.#options;
    const load = this.#options.load();
    this.#sentAt = clock();
    this.#sent = routingState(load);
    this.#n += 1;
    publish({
      wk: identity.wk,
      dep: identity.dep,
      rev: identity.rev,
      fp: identity.fingerprint,
      state: load.state,
      n: this.#n,
      slots: load.slots,
      used: load.used,
      queued: load.queued,
      proto: [PROTOCOL, PROTOCOL],
      caps: [...identity.caps],
      zone: identity.zone,
    });
  }
}

/** A change of this is reported at once. */
const routingState = ({ state, slots, used }: WorkerLoad): string => `${state}:${used < slots ? 'free' : 'full'}`;
